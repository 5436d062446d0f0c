/* SPDX-License-Identifier: MIT */
/* A program to record inside a guest: it checks and books transactions, in two processes. Each line "expect <function>
 * <calls>" is what the report must say. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEPT __attribute__((noinline))

struct transaction {
	uint32_t from, to;
	uint64_t amount, seal;
};

#define ACCOUNTS 64
static uint64_t balance[ACCOUNTS];
static uint64_t state = 1;

KEPT static uint64_t mix(uint64_t value)
{
	value ^= value >> 31;
	value *= 0x7fb5d329728ea185u;
	return value ^ value >> 27;
}

KEPT static uint64_t seal_of(const struct transaction *transaction)
{
	uint64_t seal = mix(transaction->amount);

	seal = mix(seal ^ transaction->from);
	return mix(seal ^ transaction->to);
}

KEPT static struct transaction receive(void)
{
	struct transaction transaction = { 0 };

	state = state * 6364136223846793005u + 1442695040888963407u;
	transaction.from = (uint32_t)(state >> 33) % ACCOUNTS;
	transaction.to = (uint32_t)(state >> 43) % ACCOUNTS;
	transaction.amount = state >> 54;
	transaction.seal = seal_of(&transaction);
	return transaction;
}

KEPT static void book(const struct transaction *transaction)
{
	if (seal_of(transaction) != transaction->seal)
		abort();
	balance[transaction->from] -= transaction->amount;
	balance[transaction->to] += transaction->amount;
}

KEPT static void audit(void)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < ACCOUNTS; i++)
		sum += balance[i];
	if (sum != 0)
		abort();
}

KEPT static void run(unsigned transactions)
{
	for (unsigned i = 0; i < transactions; i++) {
		struct transaction transaction = receive();
		book(&transaction);
		if (i % 100 == 99)
			audit();
	}
}

int main(int argc, char **argv)
{
	unsigned transactions = argc > 1 ? (unsigned)atoi(argv[1]) : 10000;
	int status = 1;
	pid_t child = fork();

	if (child < 0)
		return 1;
	run(transactions);
	if (child == 0)
		return 0;
	if (waitpid(child, &status, 0) != child || status != 0)
		return 1;
	printf("expect main 1\nexpect run 2\nexpect receive %u\nexpect book %u\n", 2 * transactions, 2 * transactions);
	printf("expect seal_of %u\nexpect mix %u\nexpect audit %u\n", 4 * transactions, 12 * transactions,
	       2 * (transactions / 100));
	return 0;
}
