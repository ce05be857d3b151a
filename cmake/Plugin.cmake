# cocoon_add_plugin(KIND NAME SOURCES...): one shared object under lib/cocoon/KIND that exports the entry symbol alone.
set(COCOON_PLUGIN_MAP ${CMAKE_CURRENT_LIST_DIR}/plugin.map)
function(cocoon_add_plugin kind name)
  set(target cocoon_${kind}_${name})
  add_library(${target} MODULE ${ARGN})
  target_link_libraries(${target} PRIVATE cocoon_options cocoon_headers)
  set_target_properties(${target} PROPERTIES PREFIX "" SUFFIX ".so" OUTPUT_NAME ${name}
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/cocoon/${kind}
                        LINK_DEPENDS ${COCOON_PLUGIN_MAP})
  target_link_options(${target} PRIVATE -Wl,--version-script=${COCOON_PLUGIN_MAP})
  if(NOT COCOON_SANITIZE)
    target_link_options(${target} PRIVATE -Wl,-z,defs)
  endif()
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/cocoon/${kind} COMPONENT runtime)
endfunction()
