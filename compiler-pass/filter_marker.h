/* SPDX-License-Identifier: MIT */
/* Included by the drivers when they only preprocess and a filter file is given. It adds a line marker that names
 * the filter and carries a hash of it: a compiler cache in front of the driver then takes the filter for one of
 * the source's headers, and another filter for another source. */
#pragma GCC system_header
#line TEE_PERF_FILTER_HASH TEE_PERF_FILTER_FILE
