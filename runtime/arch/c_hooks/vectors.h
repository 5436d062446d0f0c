/* SPDX-License-Identifier: MIT */
/* Hooks are C calls here. */
#ifndef TEE_PERF_RUNTIME_ARCH_VECTORS_H
#define TEE_PERF_RUNTIME_ARCH_VECTORS_H

/* Nothing to keep: a hook may change the vector registers that any function may change. */
struct arch_vectors {
	char none;
};

static inline void arch_vectors_save(struct arch_vectors *vectors)
{
	(void)vectors;
}
static inline void arch_vectors_restore(const struct arch_vectors *vectors)
{
	(void)vectors;
}

#endif
