# cocoon_add_plugin(KIND NAME SOURCES...): one shared object NAME.so that exports the entry symbol alone. KIND is
# runtimes or drivers. The same function serves the program's own plugins and those of other projects.
set(COCOON_PLUGIN_MAP ${CMAKE_CURRENT_LIST_DIR}/plugin.map)
function(cocoon_add_plugin kind name)
  if(NOT kind MATCHES "^(runtimes|drivers)$" OR NOT name MATCHES "^[a-z][a-z0-9-]*$")
    message(FATAL_ERROR "cocoon_add_plugin: KIND is runtimes or drivers, NAME has a-z, 0-9 and -; not '${kind}' '${name}'")
  endif()
  set(target cocoon_${kind}_${name})
  add_library(${target} MODULE ${ARGN})
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  # A runtime is plain data and links nothing; a driver in C++ reads plans and writes outcomes.
  if(kind STREQUAL "drivers" AND "CXX" IN_LIST languages)
    target_link_libraries(${target} PRIVATE cocoon::sdk)
  else()
    target_link_libraries(${target} PRIVATE cocoon::headers)
  endif()
  set_target_properties(${target} PROPERTIES PREFIX "" SUFFIX ".so" OUTPUT_NAME ${name} POSITION_INDEPENDENT_CODE ON
                        C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                        LINK_DEPENDS ${COCOON_PLUGIN_MAP})
  if(PROJECT_VERSION)
    target_compile_definitions(${target} PRIVATE COCOON_PLUGIN_VERSION="${PROJECT_VERSION}")
  endif()
  target_link_options(${target} PRIVATE -Wl,--version-script=${COCOON_PLUGIN_MAP} -Wl,--as-needed)
  if(COCOON_IS_SOURCE_TREE)  # one of the program's own: our warnings, and laid out as it is installed
    target_link_libraries(${target} PRIVATE cocoon_options)
    set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/cocoon/${kind})
    if(NOT COCOON_SANITIZE)
      target_link_options(${target} PRIVATE -Wl,-z,defs)
    endif()
    install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/cocoon/${kind} COMPONENT runtime)
  endif()
endfunction()
