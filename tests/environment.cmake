# SPDX-License-Identifier: MIT
# Read by ctest before the tests run.
if(NOT DEFINED ENV{CK_DEFAULT_TIMEOUT})
  set(ENV{CK_DEFAULT_TIMEOUT} 60) # seconds, of one test of libcheck
endif()
