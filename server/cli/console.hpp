// What the program itself says to the person at the terminal, and the exit codes it says it with.
#pragma once

#include <cocoon/outcome.hpp>
#include <cocoon/result.hpp>

#include <string>
#include <string_view>

namespace cocoon::cli {

constexpr int kExitUsage = 2;      // the command line makes no sense
constexpr int kExitRefused = 125;  // Cocoon refused or failed; the guest never ran

// Writes all of text to standard output; a reader that has gone is no error, anything else is said on standard error.
// Gives up on a reader that does not read once cancel_fd (-1: never) is readable.
void print(std::string_view text, int cancel_fd = -1);
void print_error(std::string_view text);

// Says that standard output can't be written to, and why (errno).
void output_failed(int error);

// The exit code of the whole program: whoever asked for output that could not be written has not got an answer.
int final_exit(int exit_code);

// "cocoon: WHERE: MESSAGE (HINT)" on standard error and, where json is asked for, {"error": ...} on standard output.
// Returns exit_code.
int report(const Error& error, bool json, int exit_code);

// One line about a run that did not simply end by itself; empty where there is nothing to add.
std::string summary(const Outcome& outcome);

// What a run took, on one line: "exit 0, 12 ms, CPU 9 ms, peak 2776 KiB".
std::string measurements(const Outcome& outcome);

// text with everything that a terminal could obey made visible.
std::string printable(std::string_view text);

}  // namespace cocoon::cli
