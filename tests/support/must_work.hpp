// What a test does that this host cannot run: it is skipped for a person, and fails in CI (COCOON_MUST_WORK=1).
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string_view>

#define COCOON_CANNOT(reason)                                                                              \
  do {                                                                                                     \
    const char* must = ::getenv("COCOON_MUST_WORK");                                                       \
    if (must != nullptr && std::string_view(must) == "1") FAIL() << "this host must run this: " << reason; \
    GTEST_SKIP() << reason;                                                                                \
  } while (false)
