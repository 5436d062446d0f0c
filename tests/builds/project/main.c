/* SPDX-License-Identifier: MIT */
/* One program of several objects, an archive and a shared object, in two languages; says what it called. */
#include "expect.h"
#include "part.h"

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 50; i++)
		sum = archive_add(sum, i);
	if (part_run(1000) != 1000 || guard_all(40) != 20 || sum != 1225)
		return 1;
	expect("main", 1);
	expect("archive_add", 50);
	expect("part_run", 1);
	expect("part_step", 1000);
	expect("guard_all", 1);
	expect("guard_check", 40);
	expect("guard_refuse", 20);
	return 0;
}
