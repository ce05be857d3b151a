# Every library the project uses, from the distribution's packages.
if(CMAKE_SYSTEM_NAME STREQUAL "WASI")
  # The library is header-only, but the folder that holds it holds the host's C library too.
  find_path(COCOON_NLOHMANN_PARENT nlohmann/json.hpp PATHS /usr/include /usr/local/include
            REQUIRED NO_CMAKE_FIND_ROOT_PATH)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include)
  file(CREATE_LINK ${COCOON_NLOHMANN_PARENT}/nlohmann ${CMAKE_BINARY_DIR}/include/nlohmann SYMBOLIC)
  add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)
  target_include_directories(nlohmann_json::nlohmann_json INTERFACE ${CMAKE_BINARY_DIR}/include)
  return()
endif()
find_package(nlohmann_json 3.11 REQUIRED CONFIG)
if(COCOON_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
if(COCOON_ONLY_PLAN)
  return()
endif()
find_package(spdlog 1.10 REQUIRED CONFIG)
find_package(Boost 1.81 REQUIRED CONFIG)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
# Its headers only, for one source file: the shared library would cost every start of the program.
find_path(COCOON_TOMLPLUSPLUS toml++/toml.h REQUIRED)
# For the client that the HTTP front end brings along; nothing links it before that.
pkg_check_modules(httplib REQUIRED IMPORTED_TARGET cpp-httplib)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  pkg_check_modules(libseccomp REQUIRED IMPORTED_TARGET libseccomp)
endif()
