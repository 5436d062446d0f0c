/* SPDX-License-Identifier: MIT */
/* Counts the words of a text of -n bytes. Each thread keeps a sorted table of the words that it saw; the tables
 * are merged at the end. Every word costs a few calls, none of which does much. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

enum { VOCABULARY = 2000, WORD_MAX = 24 };

struct entry {
	const char *word; /* into the text */
	size_t length;
	uint64_t count;
};

struct table {
	struct entry *entries; /* sorted by word */
	size_t count, capacity;
};

struct job {
	struct bench_options options;
	char *text;
	size_t length;
	struct table *tables; /* one per thread */
};

static int compare_words(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t common = a_length < b_length ? a_length : b_length;
	int order = memcmp(a, b, common);
	return order ? order : (a_length > b_length) - (a_length < b_length);
}

/* The index of the word, or of the entry before which it belongs. */
static size_t find_word(const struct table *table, const char *word, size_t length, int *found)
{
	size_t low = 0, high = table->count;
	*found = 0;
	while (low < high && !*found) {
		size_t middle = low + (high - low) / 2;
		const struct entry *entry = &table->entries[middle];
		int order = compare_words(word, length, entry->word, entry->length);
		if (!order) {
			*found = 1;
			return middle;
		}
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void insert_entry(struct table *table, size_t at, const char *word, size_t length)
{
	if (table->count == table->capacity) {
		table->capacity = table->capacity ? 2 * table->capacity : 64;
		table->entries = realloc(table->entries, table->capacity * sizeof *table->entries);
		if (!table->entries)
			abort();
	}
	memmove(&table->entries[at + 1], &table->entries[at], (table->count - at) * sizeof *table->entries);
	table->entries[at] = (struct entry){ word, length, 0 };
	table->count++;
}

static void add_word(struct table *table, const char *word, size_t length, uint64_t count)
{
	int found;
	size_t at = find_word(table, word, length, &found);
	if (!found)
		insert_entry(table, at, word, length);
	table->entries[at].count += count;
}

static size_t word_end(const char *text, size_t at, size_t end)
{
	while (at < end && text[at] >= 'a' && text[at] <= 'z')
		at++;
	return at;
}

/* A piece begins after the first space at or after its share of the text, so that no word is cut. */
static size_t piece_begin(const struct job *job, unsigned worker)
{
	size_t at = job->length / job->options.threads * worker;
	if (worker == 0)
		return 0;
	if (worker == job->options.threads)
		return job->length;
	return word_end(job->text, at, job->length);
}

static void count_words(void *data, unsigned worker)
{
	struct job *job = data;
	size_t end = piece_begin(job, worker + 1);
	for (size_t at = piece_begin(job, worker); at < end;) {
		size_t stop = word_end(job->text, at, end);
		if (stop > at)
			add_word(&job->tables[worker], job->text + at, stop - at, 1);
		at = stop + 1;
	}
}

static void merge_tables(struct job *job)
{
	for (unsigned i = 1; i < job->options.threads; i++)
		for (size_t j = 0; j < job->tables[i].count; j++)
			add_word(&job->tables[0], job->tables[i].entries[j].word, job->tables[i].entries[j].length,
				 job->tables[i].entries[j].count);
}

/* Word number w, different for each number: its number in base 20, then filler. */
static size_t spell(unsigned w, char *out)
{
	size_t length = 0, filler = w * 7 % 6;
	for (unsigned rest = w + 1; rest; rest /= 20)
		out[length++] = (char)('a' + rest % 20);
	while (filler--)
		out[length++] = (char)('u' + filler);
	return length;
}

/* Low numbers are frequent: about as in a language. Returns how often each was written. */
static uint64_t *write_text(struct job *job)
{
	uint64_t seed = 2, *written = bench_allocate(VOCABULARY * sizeof *written);
	job->text = bench_allocate(job->options.size + WORD_MAX);
	while (job->length + WORD_MAX < job->options.size) {
		uint64_t bits = bench_random(&seed);
		unsigned w = (unsigned)((bits & 0xffffffff) * ((bits >> 32) % VOCABULARY + 1) >> 32);
		job->length += spell(w, job->text + job->length);
		job->text[job->length++] = ' ';
		written[w]++;
	}
	return written;
}

static int matches(const struct table *table, const uint64_t *written)
{
	char word[WORD_MAX];
	int found, right = 1;
	size_t different = 0;
	for (unsigned w = 0; w < VOCABULARY; w++) {
		size_t length = spell(w, word), at = find_word(table, word, length, &found);
		right &= found ? table->entries[at].count == written[w] : written[w] == 0;
		different += written[w] != 0;
	}
	return right && different == table->count;
}

int main(int argc, char **argv)
{
	struct job job = { .options = bench_options(argc, argv, (struct bench_options){ 1, 80000000 }) };
	uint64_t *written = write_text(&job);
	job.tables = bench_allocate(job.options.threads * sizeof *job.tables);
	bench_phase_begin();
	bench_run_threads(job.options.threads, count_words, &job);
	merge_tables(&job);
	bench_phase_end();
	return bench_verdict("words", job.tables[0].count, matches(&job.tables[0], written));
}
