# find_package(cocoon): cocoon::headers (C and C++), cocoon::sdk (the value types in C++), cocoon::engine (to embed), and
# the function cocoon_add_plugin.
include(${CMAKE_CURRENT_LIST_DIR}/cocoonTargets.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/Plugin.cmake)
