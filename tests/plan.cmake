# The pure part: fuzzers of everything that reads text from outside, with a short run of each from the golden cases, or
# its tests. These need no driver and no host, so they build without the rest of the program too.
if(COCOON_FUZZ)
  foreach(name conf request plan preset mcp)
    set(target cocoon_fuzz_${name})
    add_executable(${target} fuzz/${name}.cpp)
    target_link_libraries(${target} PRIVATE cocoon_options cocoon_plan cocoon_mcp)
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer)
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    set(corpus ${CMAKE_BINARY_DIR}/corpus/${name})
    file(MAKE_DIRECTORY ${corpus})
    set(seeds ${CMAKE_CURRENT_SOURCE_DIR}/golden/cases)
    if(name STREQUAL "preset")
      set(seeds ${CMAKE_CURRENT_SOURCE_DIR}/golden/presets)
    elseif(name STREQUAL "mcp")
      set(seeds ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/seeds/mcp)
    endif()
    add_test(NAME fuzz_${name} COMMAND ${target} -runs=20000 -max_total_time=30 -max_len=16384 -timeout=10
                                       -rss_limit_mb=2048 -print_final_stats=0 -verbosity=0 ${corpus} ${seeds})
  endforeach()
  return()
endif()

file(GLOB plan_test_sources CONFIGURE_DEPENDS unit/plan_*.cpp unit/sdk_*.cpp support/plan_*.cpp support/schema.cpp)
add_executable(cocoon_plan_test ${plan_test_sources})
target_include_directories(cocoon_plan_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_definitions(cocoon_plan_test PRIVATE COCOON_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_link_libraries(cocoon_plan_test PRIVATE cocoon_options cocoon_plan cocoon_json_reader
                                               nlohmann_json::nlohmann_json GTest::gtest_main)
# Optimised tests would take longer to compile than they could ever save.
target_compile_options(cocoon_plan_test PRIVATE -O0)
gtest_discover_tests(cocoon_plan_test DISCOVERY_TIMEOUT 30)

find_package(Python3 REQUIRED COMPONENTS Interpreter)
add_test(NAME purity_includes COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/purity/check_includes.py
                                      ${PROJECT_SOURCE_DIR})
add_test(NAME purity_wasm COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/purity/check_wasm.py
                                  ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR}/wasm)
set_tests_properties(purity_wasm PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900)
