/* SPDX-License-Identifier: MIT */
#include "runtime/arch/c_hooks/hook_call.h"
