# Tests of the pure part: they need no driver and no host, so they also build without the rest of the program.
file(GLOB plan_test_sources CONFIGURE_DEPENDS unit/plan_*.cpp unit/sdk_*.cpp support/plan_*.cpp support/schema.cpp)
add_executable(cocoon_plan_test ${plan_test_sources})
target_include_directories(cocoon_plan_test PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_compile_definitions(cocoon_plan_test PRIVATE COCOON_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
target_link_libraries(cocoon_plan_test PRIVATE cocoon_options cocoon_plan cocoon_json_reader
                                               nlohmann_json::nlohmann_json GTest::gtest_main)
gtest_discover_tests(cocoon_plan_test DISCOVERY_TIMEOUT 30)
