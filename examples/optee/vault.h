/* SPDX-License-Identifier: MIT */
#ifndef VAULT_H
#define VAULT_H

#define VAULT_UUID                                                                                                     \
	{                                                                                                              \
		0x6b7c9a52, 0x0d1e, 0x4c7b,                                                                            \
		{                                                                                                      \
			0x9f, 0x2a, 0x41, 0x5d, 0x83, 0x17, 0xe6, 0x0c                                                 \
		}                                                                                                      \
	}

/* Parameter 0, value: a is the number of a secret, b goes in or comes out. Parameter 3 is tee-perf's. */
enum { VAULT_KEEP = 0, VAULT_TELL = 1 };

#endif
