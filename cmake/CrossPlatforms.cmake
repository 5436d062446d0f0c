# SPDX-License-Identifier: MIT
# Platforms of enclaves on other processors: lib/tee-perf/<target>/libtee-perf-NAME.a for the trusted side,
# libtee-perf-NAME-host.a for its client.
function(tee_perf_add_cross_platform target architecture name)
  get_property(core GLOBAL PROPERTY TEE_PERF_CROSS_CORE_${target})
  if(NOT core)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "TRUSTED;HOST;INCLUDE" ${ARGN})
  tee_perf_find_cross_compiler(${target} command)
  set(work ${CMAKE_CURRENT_BINARY_DIR}/${target}/${name})
  set(place ${TEE_PERF_LIB}/${target})
  file(MAKE_DIRECTORY ${work})
  list(TRANSFORM arg_TRUSTED PREPEND ${CMAKE_SOURCE_DIR}/runtime/platform/)
  list(TRANSFORM arg_HOST PREPEND ${CMAKE_SOURCE_DIR}/runtime/platform/)
  list(TRANSFORM arg_INCLUDE PREPEND -I${CMAKE_SOURCE_DIR}/runtime/platform/)
  set(flags -std=gnu11 -O2 -gdwarf-4 -Wall -Wextra -Wvla -Wno-missing-field-initializers -Werror -fno-stack-protector
      -fPIC -I${CMAKE_SOURCE_DIR} -I${CMAKE_SOURCE_DIR}/runtime/arch/${architecture} ${arg_INCLUDE})
  set(trusted_flags ${flags} -ffreestanding -fno-builtin -fvisibility=hidden -ftls-model=initial-exec)
  if(architecture STREQUAL aarch64)
    list(APPEND trusted_flags -mno-outline-atomics)
  endif()
  tee_perf_cross_objects(trusted ${work} COMMAND ${command} FLAGS ${trusted_flags} SOURCES ${arg_TRUSTED})
  tee_perf_cross_objects(host ${work} COMMAND ${command} FLAGS ${flags} SOURCES ${arg_HOST})
  add_custom_command(OUTPUT ${place}/libtee-perf-${name}.a
    COMMAND ${CMAKE_COMMAND} -E rm -f ${place}/libtee-perf-${name}.a
    COMMAND ${CMAKE_AR} rcs ${place}/libtee-perf-${name}.a ${core} ${trusted}
    DEPENDS ${core} ${trusted} VERBATIM)
  add_custom_command(OUTPUT ${place}/libtee-perf-${name}-host.a
    COMMAND ${CMAKE_COMMAND} -E rm -f ${place}/libtee-perf-${name}-host.a
    COMMAND ${CMAKE_AR} rcs ${place}/libtee-perf-${name}-host.a ${host}
    DEPENDS ${host} VERBATIM)
  add_custom_target(tee_perf_${name} ALL
                    DEPENDS ${place}/libtee-perf-${name}.a ${place}/libtee-perf-${name}-host.a)
  add_dependencies(tee_perf_${name} tee_perf_rt_${architecture}) # which makes the core's objects
  install(FILES ${place}/libtee-perf-${name}.a ${place}/libtee-perf-${name}-host.a DESTINATION lib/tee-perf/${target})
endfunction()

tee_perf_add_cross_platform(aarch64-linux-gnu aarch64 optee INCLUDE include-optee
  TRUSTED optee.c enclave_buffer.c enclave.c HOST optee_untrusted.c enclave_buffer_untrusted.c enclave_untrusted.c)
tee_perf_add_cross_platform(riscv64-linux-gnu riscv64 keystone
  TRUSTED keystone.c enclave_buffer.c enclave.c HOST enclave_buffer_untrusted.c enclave_untrusted.c)
foreach(header optee.h optee_untrusted.h keystone.h)
  configure_file(${CMAKE_SOURCE_DIR}/runtime/platform/${header} ${TEE_PERF_LIB}/include/${header} COPYONLY)
  install(FILES ${CMAKE_SOURCE_DIR}/runtime/platform/${header} DESTINATION lib/tee-perf/include)
endforeach()
