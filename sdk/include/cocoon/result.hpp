// Error and Result<T>: how Cocoon says that it refused or failed (std::expected's member names; GCC 12 lacks it in C++20).
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace cocoon {

// Why Cocoon refused or failed. The guest's own misbehaviour is an Outcome, never an Error.
struct Error {
  std::string code;     // stable, for programs: "bad_value", "path_missing", ...
  std::string message;  // what is wrong, one sentence without a full stop
  std::string where;    // option, key, line or path it is about; may be empty
  std::string hint;     // what to do about it; may be empty

  bool operator==(const Error&) const = default;
};

template <typename E>
struct Unexpected {
  E error;
};

inline Unexpected<Error> fail(std::string code, std::string message, std::string where = {}, std::string hint = {}) {
  return {Error{std::move(code), std::move(message), std::move(where), std::move(hint)}};
}

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Unexpected<Error> failure) : state_(std::in_place_index<1>, std::move(failure.error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return assert(has_value()), std::get<0>(state_); }
  const T& value() const& { return assert(has_value()), std::get<0>(state_); }
  T&& value() && { return assert(has_value()), std::move(std::get<0>(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  Error& error() & { return assert(!has_value()), std::get<1>(state_); }
  const Error& error() const& { return assert(!has_value()), std::get<1>(state_); }
  Error&& error() && { return assert(!has_value()), std::move(std::get<1>(state_)); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Unexpected<Error> failure) : error_(std::move(failure.error)), failed_(true) {}

  bool has_value() const { return !failed_; }
  explicit operator bool() const { return has_value(); }
  Error& error() & { return assert(failed_), error_; }
  const Error& error() const& { return assert(failed_), error_; }
  Error&& error() && { return assert(failed_), std::move(error_); }

 private:
  Error error_;
  bool failed_ = false;
};

}  // namespace cocoon
