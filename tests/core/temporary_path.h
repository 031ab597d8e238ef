#pragma once

// Names of files for the tests.

#include <filesystem>
#include <random>
#include <string>

namespace mdpd {

/// A name that no other run of the tests has, as builds by several compilers are tested at once.
inline std::string temporary_path(const std::string& name) {
  static const std::string run = std::to_string(std::random_device()());
  return (std::filesystem::temp_directory_path() / ("mdpd-" + run + "-" + name)).string();
}

}  // namespace mdpd
