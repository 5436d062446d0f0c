/* SPDX-License-Identifier: MIT */
#include "program.h"

int main(int argc, char **argv)
{
#ifndef PLAIN_MAIN /* else this file is not instrumented: the functions are in a shared object */
	ENTER;
#endif
	return program_main(argc, argv);
}
