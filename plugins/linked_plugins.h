/* Plugins linked into a program instead of loaded: for builds without shared objects (WebAssembly, fuzzers, tests). */
#ifndef COCOON_LINKED_PLUGINS_H
#define COCOON_LINKED_PLUGINS_H

#include <cocoon/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

extern const cocoon_plugin_entry cocoon_linked_plugins[];
extern const size_t cocoon_linked_plugins_count;

#ifdef __cplusplus
}
#endif

#endif /* COCOON_LINKED_PLUGINS_H */
