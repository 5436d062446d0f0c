/* SPDX-License-Identifier: MIT */
/* A program without hooks whose threads open an object that has them, close it, and end. */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

static void *run(void *path)
{
	void *object = dlopen(path, RTLD_NOW);
	int (*leaf)(int) = object == NULL ? NULL : (int (*)(int))dlsym(object, "leaf");

	if (leaf == NULL)
		return NULL;
	for (int i = 0; i < 1000; i++)
		leaf(i);
	dlclose(object);
	return path;
}

int main(int argc, char **argv)
{
	for (int i = 0; i < 3; i++) {
		pthread_t thread;
		void *result = NULL;
		if (argc < 2 || pthread_create(&thread, NULL, run, argv[1]) != 0 ||
		    pthread_join(thread, &result) != 0 || result == NULL)
			return 1;
	}
	return 7;
}
