/* SPDX-License-Identifier: MIT */
/* keeps CALLS OBJECT...: opens them all, then calls each one's `enter`. With CALLS negative in a namespace of its own.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int calls = atoi(argv[1]);
	int (*enter[8])(int);

	for (int i = 2; i < argc; i++) {
		void *object =
		    calls < 0 ? dlmopen(LM_ID_NEWLM, argv[i], RTLD_NOW) : dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
		enter[i - 2] = object == NULL ? NULL : (int (*)(int))dlsym(object, "enter");
		if (enter[i - 2] == NULL) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
	}
	for (int i = 2; i < argc; i++)
		for (int k = 0; k < abs(calls); k++)
			enter[i - 2](k);
	return 0;
}
