// exec on POSIX systems.
#include "host/os/replace.hpp"

#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace cocoon::os {

Error replace_program(const std::string& path, const std::string& name, const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  argv.push_back(const_cast<char*>(name.c_str()));
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  ::execv(path.c_str(), argv.data());
  return {"system", "can't be started: " + std::system_category().message(errno), path,
          "the program is not installed whole"};
}

}  // namespace cocoon::os
