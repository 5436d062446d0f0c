# Every query of docs/QUERY.md.
recording small
awk '/^### /{title = $0} /^```sql$/{sql = ""; inside = 1; next} /^```$/ && inside{inside = 0; file = sprintf("q%02d.sql", ++n); printf "%s", sql >file; close(file); print title > (file ".title"); next} inside{sql = sql $0 "\n"}' "$QUERY_MD"
for query in q*.sql; do
	cat "$query.title"
	tee-perf report --query "@$query" || echo "status $?"
done
