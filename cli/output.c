/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_target(const char *path, struct tee_perf_error *err)
{
	struct stat status;
	if (path[0] == 0)
		return tee_perf_fail(err, TEE_PERF_USAGE, "the name of the output file is empty: give one with -o");
	if (lstat(path, &status) != 0) {
		if (errno == ENOENT)
			return 0;
		return tee_perf_fail_errno(err, "cannot write %s", path);
	}
	if (S_ISREG(status.st_mode))
		return 0;
	const char *what = S_ISLNK(status.st_mode)   ? "a symbolic link"
			   : S_ISDIR(status.st_mode) ? "a directory"
						     : "no regular file";
	return tee_perf_fail(err, TEE_PERF_SYSTEM, "cannot write %s: it is %s; %schoose another file with -o", path,
			     what, S_ISLNK(status.st_mode) ? "remove it or " : "");
}

/* mkstemp makes it 0600; the finished file gets what the user's mask says. */
static void set_mode(int fd)
{
	mode_t mask = umask(0);
	umask(mask);
	(void)fchmod(fd, 0666 & ~mask);
}

int tee_perf_output_open(struct tee_perf_output *output, const char *path, struct tee_perf_error *err)
{
	*output = (struct tee_perf_output){ .path = path };
	if (strcmp(path, "-") == 0) {
		output->file = stdout;
		return 0;
	}
	if (check_target(path, err) != 0)
		return -1;
	if (asprintf(&output->temporary, "%s.XXXXXX", path) < 0) {
		output->temporary = NULL;
		return tee_perf_fail(err, TEE_PERF_RESOURCE, "out of memory for writing %s", path);
	}
	int fd = mkostemp(output->temporary, O_CLOEXEC);
	if (fd >= 0) {
		set_mode(fd);
		output->file = fdopen(fd, "w");
	}
	if (output->file != NULL)
		return 0;
	tee_perf_fail_errno(err, "cannot write %s", path);
	if (fd >= 0) {
		unlink(output->temporary);
		close(fd);
	}
	free(output->temporary);
	return -1;
}

int tee_perf_output_close(struct tee_perf_output *output, struct tee_perf_error *err)
{
	if (output->temporary == NULL) /* main() closes standard output */
		return err->class == TEE_PERF_OK ? 0 : -1;
	int failed = ferror(output->file);
	errno = failed != 0 ? EIO : 0;
	if ((fflush(output->file) != 0 || failed != 0) && err->class == TEE_PERF_OK)
		tee_perf_fail_errno(err, "cannot write %s", output->path);
	if (fclose(output->file) != 0 && err->class == TEE_PERF_OK)
		tee_perf_fail_errno(err, "cannot write %s", output->path);
	if (err->class == TEE_PERF_OK && check_target(output->path, err) == 0 &&
	    rename(output->temporary, output->path) != 0)
		tee_perf_fail_errno(err, "cannot write %s", output->path);
	if (err->class != TEE_PERF_OK)
		unlink(output->temporary);
	free(output->temporary);
	output->temporary = NULL;
	return err->class == TEE_PERF_OK ? 0 : -1;
}
