/* SPDX-License-Identifier: MIT */
/* opens ROUNDS CALLS OBJECT...: in each round each object is opened, its `enter` called, and closed. Prints where. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noinline)) static int use(const char *path, int calls)
{
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	int (*enter)(int) = object == NULL ? NULL : (int (*)(int))dlsym(object, "enter");

	if (enter == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	for (int i = 0; i < calls; i++)
		enter(i);
	printf("%s %p\n", path, (void *)enter);
	return dlclose(object);
}

int main(int argc, char **argv)
{
	for (int round = 0; round < atoi(argv[1]); round++)
		for (int i = 3; i < argc; i++)
			if (use(argv[i], atoi(argv[2])) != 0)
				return 1;
	return 0;
}
