// Reads the .npy files of the demonstration: little-endian arrays of float or uint8_t, row-major.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

// The elements of the file; ends the program with a message when it is not what it should be.
template <class T>
std::vector<T> read_npy(const std::string& path, size_t elements) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto fail = [&](const char* why) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), why);
    std::exit(1);
  };
  if (bytes.size() < 10 || bytes.compare(0, 6, "\x93NUMPY") != 0) fail("not an .npy file");
  const size_t header =
      10 + static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9]);
  const char* type = sizeof(T) == 1 ? "'|u1'" : "'<f4'";
  if (bytes.size() < header || bytes.find(type) > header) fail("another element type");
  if (bytes.size() - header != elements * sizeof(T)) fail("another number of elements");
  std::vector<T> values(elements);
  std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(header), bytes.end(),
            reinterpret_cast<char*>(values.data()));
  return values;
}
