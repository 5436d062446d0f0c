/* SPDX-License-Identifier: MIT */
/* Links library.cc, or with an argument opens it by that name, twice. */
#include "library.h"

#include <cstdio>
#include <dlfcn.h>

static int run(int (*call)(int), int times)
{
	int sum = 0;

	for (int i = 0; i < times; i++)
		sum += call(i);
	try {
		call(-1);
	} catch (int n) {
		sum += n;
	}
	return sum;
}

int main(int argc, char **argv)
{
	int sum = shared_step(argc);

#ifdef LINKED
	(void)argv;
	sum += run(library_call, 20);
#else
	for (int round = 0; round < 2; round++) {
		void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : nullptr;
		if (library == nullptr)
			return 1;
		sum += run(reinterpret_cast<int (*)(int)>(dlsym(library, "library_call")), 10);
		dlclose(library);
	}
#endif
	return sum == 0;
}
