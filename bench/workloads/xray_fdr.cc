/* SPDX-License-Identifier: MIT */
/* Linked into the XRay variant: starts flight-data-recorder mode before main and flushes it after, since
 * XRAY_OPTIONS alone only patches. BENCH_XRAY holds the mode's options. */
#include <cstdio>
#include <cstdlib>
#include <xray/xray_interface.h> // C++ only
#include <xray/xray_log_interface.h>

/* Always "never instrument": otherwise XRay would record its own start. */
__attribute__((xray_never_instrument, destructor)) static void stop(void)
{
	__xray_unpatch();
	if (__xray_log_finalize() != XRAY_LOG_FINALIZED || __xray_log_flushLog() != XRAY_LOG_FLUSHED)
		fprintf(stderr, "XRay did not write its log\n");
}

__attribute__((xray_never_instrument, constructor)) static void start(void)
{
	const char *options = getenv("BENCH_XRAY");
	if (__xray_log_select_mode("xray-fdr") != XRAY_REGISTRATION_OK ||
	    __xray_log_init_mode("xray-fdr", options ? options : "") != XRAY_LOG_INITIALIZED ||
	    __xray_patch() != SUCCESS) {
		fprintf(stderr, "XRay did not start\n");
		exit(1);
	}
}
