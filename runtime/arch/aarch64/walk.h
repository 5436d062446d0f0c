/* SPDX-License-Identifier: MIT */
#include "runtime/arch/c_hooks/walk.h"
