/* SPDX-License-Identifier: MIT */
/* Linked with an object; without hooks, or with. */
int enter(int x);

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += enter(i);
	return sum == 1002000 ? 0 : 1;
}
