# SPDX-License-Identifier: MIT
# tee_perf_sim_enclave(<name> <source>... [OPTIONS <flag>...]): a trusted part for the simulator, <name>.so in the current
# binary directory, compiled with hooks. Target <name>; its file is the variable <name>_FILE.
function(tee_perf_sim_enclave name)
  cmake_parse_arguments(enclave "" "" "OPTIONS" ${ARGN})
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${name}.so)
  set(sources "")
  foreach(source ${enclave_UNPARSED_ARGUMENTS})
    get_filename_component(source ${source} ABSOLUTE)
    list(APPEND sources ${source})
  endforeach()
  set(plugins "")
  foreach(major ${TEE_PERF_PLUGIN_MAJORS})
    list(APPEND plugins tee-perf-pass-${major})
  endforeach()
  add_custom_command(
    OUTPUT ${file}
    COMMAND $<TARGET_FILE:tee-perf-cc> -O2 -g -Wall -Wextra -Werror -fPIC -ffreestanding -ftls-model=initial-exec
            -ftee-perf-runtime=none -nostdlib -shared -Wl,-z,defs -Wl,-Bsymbolic -Wl,-e,tee_perf_sim_enter
            -Wl,--build-id -I${TEE_PERF_LIB}/include ${enclave_OPTIONS} -o ${file} ${sources}
            $<TARGET_FILE:tee_perf_sim_trusted>
    DEPENDS ${sources} tee_perf_sim_trusted tee-perf-cc ${plugins}
    VERBATIM)
  add_custom_target(${name} ALL DEPENDS ${file})
  set(${name}_FILE ${file} PARENT_SCOPE)
endfunction()
