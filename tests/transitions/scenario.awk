# SPDX-License-Identifier: MIT
# A recording of an enclave, for make_recording: 500 I/Os, of which each asks for the process id twice, for the time
# once, writes eight times in a loop, makes three OCALLs in a row, and prints through an OCALL that makes another one.
function call(name, depth) { printf "%d call %s 0x%x\n", now, name, 2147418112 - 256 * depth }
function ret(name, depth) { printf "%d ret %s 0x%x\n", now, name, 2147418112 - 256 * depth }
function spend(name, depth, ns) { call(name, depth); now += ns; ret(name, depth) }
BEGIN {
	print "start {\"version\":1,\"command\":[\"./host\"],\"host\":\"box\",\"clock\":\"host\",\"clock_period_ns\":100,\"full\":\"wait\",\"keep\":\"calls\"}"
	print "process 0 100 - ./host"
	print "module 0 0 /opt/enclave.so"
	split("sgx_ecall_run:3 ecall_run:3 submit:0 ocall_getpid:2 ocall_timestamp:2 flush:0 ocall_write:2 pump:0 ocall_a:2 ocall_b:2 ocall_c:2 ocall_print:2 helper:0 write:2 rare:2", list, " ")
	for (i = 1; i in list; i++) {
		split(list[i], part, ":")
		printf "fn %s enclave.c %d %d\n", part[1], i, part[2]
	}
	print "thread 0 0 100 enclave"
	print "@ 0 0"
	now = 1000
	print now " stack 0x7ff00000 0x7fff0000"
	call("sgx_ecall_run", 1)
	call("ecall_run", 2)
	for (n = 0; n < 500; n++) {
		call("submit", 3)
		spend("ocall_getpid", 4, 2000)
		now += 500
		spend("ocall_getpid", 4, 2000)
		spend("ocall_timestamp", 4, 3000)
		ret("submit", 3)
		call("flush", 3)
		for (k = 0; k < 8; k++)
			spend("ocall_write", 4, 1800)
		ret("flush", 3)
		call("pump", 3)
		spend("ocall_a", 4, 1700)
		spend("ocall_b", 4, 1700)
		now += 100
		spend("ocall_c", 4, 1700)
		ret("pump", 3)
		call("ocall_print", 3)
		call("helper", 4)
		spend("write", 5, 30000)
		ret("helper", 4)
		ret("ocall_print", 3)
	}
	spend("rare", 3, 5000000)
	ret("ecall_run", 2)
	ret("sgx_ecall_run", 1)
	printf "end {\"duration_ns\":%d,\"events\":0,\"lost\":0,\"resolution_ns\":100,\"tsc_hz\":2000000000,\"exit_status\":0,\"processes\":1,\"threads\":1}\n", now
}
