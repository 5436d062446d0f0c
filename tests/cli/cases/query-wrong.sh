recording small
for sql in 'selec 1' 'select * from nowhere' 'select nonsense from calls' '' '-- nothing' 'select 1; select 2' \
	'select 1 +' "attach 'other.db' as other" 'create table t(x)' 'insert into functions(name) values(1)' \
	'delete from calls' 'drop table functions' 'pragma writable_schema=1' "vacuum into 'copy.db'" \
	"select load_extension('x')" @missing.sql; do
	tee-perf report -q "$sql"
	echo $?
done
ls
