# SPDX-License-Identifier: MIT
# The runtime for other targets than this machine, where a compiler with their libc is at hand: lib/tee-perf/<target>/.

# Sets <result> to a command that compiles and links C for <target>, or to nothing.
function(tee_perf_find_cross_compiler target result)
  set(candidates "")
  if(CMAKE_C_COMPILER_ID STREQUAL Clang)
    list(APPEND candidates "${CMAKE_C_COMPILER} --target=${target}")
  endif()
  find_program(TEE_PERF_GCC_${target} ${target}-gcc)
  if(TEE_PERF_GCC_${target})
    list(APPEND candidates "${TEE_PERF_GCC_${target}}")
  endif()
  set(probe ${CMAKE_CURRENT_BINARY_DIR}/probe-${target})
  file(WRITE ${probe}.c "#include <pthread.h>\n#include <link.h>\n__thread int x __attribute__((tls_model(\"initial-exec\")));\n"
       "int probe(pthread_key_t key) { return pthread_setspecific(key, &x); }\n")
  set(${result} "" PARENT_SCOPE)
  foreach(candidate ${candidates})
    separate_arguments(command UNIX_COMMAND "${candidate}")
    execute_process(COMMAND ${command} -shared -fPIC -Wl,-z,defs ${probe}.c -o ${probe}.so RESULT_VARIABLE status
                    OUTPUT_QUIET ERROR_QUIET)
    if(status EQUAL 0)
      set(${result} ${command} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

# Objects of the sources, a list of absolute paths; their names go to <result>.
function(tee_perf_cross_objects result directory)
  cmake_parse_arguments(arg "" "" "COMMAND;FLAGS;SOURCES" ${ARGN})
  set(objects "")
  foreach(source ${arg_SOURCES})
    get_filename_component(name ${source} NAME)
    set(object ${directory}/${name}.o)
    add_custom_command(OUTPUT ${object} COMMAND ${arg_COMMAND} ${arg_FLAGS} -MD -MF ${object}.d -c ${source} -o ${object}
                       DEPENDS ${source} DEPFILE ${object}.d VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(${result} ${objects} PARENT_SCOPE)
endfunction()

# What the runtime consists of is said in runtime/CMakeLists.txt; only the folder arch/ is another.
function(tee_perf_cross_sources result part)
  get_target_property(names ${part} SOURCES)
  list(FILTER names EXCLUDE REGEX "^arch/")
  list(TRANSFORM names PREPEND ${CMAKE_SOURCE_DIR}/runtime/)
  set(${result} ${names} PARENT_SCOPE)
endfunction()

function(tee_perf_add_cross_runtime target architecture)
  tee_perf_find_cross_compiler(${target} command)
  if(NOT command)
    message(STATUS "No runtime for ${target}: no compiler with that target's libc (Debian: g++-${target}, "
                   "which brings both)")
    return()
  endif()
  list(JOIN command " " shown)
  message(STATUS "Runtime for ${target}: ${shown}")
  set(work ${CMAKE_CURRENT_BINARY_DIR}/${target})
  set(place ${TEE_PERF_LIB}/${target})
  file(MAKE_DIRECTORY ${work} ${place})
  tee_perf_cross_sources(core tee_perf_core)
  tee_perf_cross_sources(hosted tee_perf_hosted)
  tee_perf_cross_sources(hosted_shared tee_perf_hosted_shared)
  list(APPEND core ${CMAKE_SOURCE_DIR}/runtime/arch/${architecture}/clock.c)
  # Of version 4, as GNU ld 2.40 crashes on what clang 19 writes of version 5 for riscv64.
  set(flags -std=gnu11 -O2 -gdwarf-4 -Wall -Wextra -Wvla -Wno-missing-field-initializers -Werror -fno-stack-protector -fno-builtin
      -fasynchronous-unwind-tables -ftls-model=initial-exec -fvisibility=hidden -fPIC -I${CMAKE_SOURCE_DIR}
      -I${CMAKE_SOURCE_DIR}/runtime/arch/${architecture})
  # Atomic operations in line: the core calls no function of a library.
  if(architecture STREQUAL aarch64)
    list(APPEND flags -mno-outline-atomics)
  endif()
  tee_perf_cross_objects(core_objects ${work} COMMAND ${command} FLAGS ${flags} -ffreestanding SOURCES ${core})
  tee_perf_cross_objects(hosted_objects ${work} COMMAND ${command} FLAGS ${flags} SOURCES ${hosted})
  tee_perf_cross_objects(shared_objects ${work} COMMAND ${command} FLAGS ${flags} SOURCES ${hosted_shared})
  set(shared ${place}/libtee-perf-rt.so)
  set(static ${place}/libtee-perf-rt.a)
  add_custom_command(OUTPUT ${shared}.2 ${shared}
    COMMAND ${command} -shared -Wl,-soname,libtee-perf-rt.so.2 -Wl,-z,now -Wl,-z,defs -Wl,-z,nodelete -Wl,-Bsymbolic
            ${core_objects} ${hosted_objects} ${shared_objects} -o ${shared}.2
    COMMAND ${CMAKE_COMMAND} -E create_symlink libtee-perf-rt.so.2 ${shared}
    DEPENDS ${core_objects} ${hosted_objects} ${shared_objects} VERBATIM)
  add_custom_command(OUTPUT ${static}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${static}
    COMMAND ${CMAKE_AR} rcs ${static} ${core_objects} ${hosted_objects}
    DEPENDS ${core_objects} ${hosted_objects} VERBATIM)
  add_custom_target(tee_perf_rt_${architecture} ALL DEPENDS ${shared}.2 ${static})
  install(FILES ${shared}.2 ${shared} ${static} DESTINATION lib/tee-perf/${target})
  set_property(GLOBAL APPEND PROPERTY TEE_PERF_CROSS_TARGETS ${target})
  set_property(GLOBAL PROPERTY TEE_PERF_CROSS_CORE_${target} ${core_objects})
endfunction()
