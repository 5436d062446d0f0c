/* SPDX-License-Identifier: MIT */
/* Runs a fuzz target on all files of the directories named, so that whatever fuzzing once found stays found:
 *   fuzz_x DIRECTORY ...
 * Fails when there is no file at all. */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

static int run_file(const char *path)
{
	struct stat status;
	FILE *file = fopen(path, "rb");
	if (file == NULL || fstat(fileno(file), &status) != 0) {
		perror(path);
		return -1;
	}
	/* Of the exact size, so that a sanitizer sees a read behind it. */
	size_t size = (size_t)status.st_size;
	uint8_t *data = malloc(size == 0 ? 1 : size);
	int result = data != NULL && fread(data, 1, size, file) == size ? 0 : -1;
	fclose(file);
	if (result == 0)
		LLVMFuzzerTestOneInput(data, size);
	free(data);
	return result;
}

static int run_directory(const char *path, unsigned *count)
{
	DIR *directory = opendir(path);
	struct dirent *entry;
	int result = 0;
	if (directory == NULL) {
		perror(path);
		return -1;
	}
	while (result == 0 && (entry = readdir(directory)) != NULL) {
		char name[4096];
		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
		result = run_file(name);
		++*count;
	}
	closedir(directory);
	return result;
}

int main(int argc, char **argv)
{
	unsigned count = 0;
	int result = 0;
	for (int i = 1; i < argc && result == 0; i++)
		result = run_directory(argv[i], &count);
	printf("%u inputs\n", count);
	return result == 0 && count > 0 ? 0 : 1;
}
