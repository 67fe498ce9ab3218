// Memory that ends where the next page cannot be touched: an access behind the end stops the
// program at that instruction.
//
//   GuardBuffer x(1000 * sizeof(float));                       // nothing behind x.data() + 4000
//   GuardBuffer y(4000, GuardBuffer::kFront);                  // nothing in front of y.data()
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <utility>

namespace tenon::test {

class GuardBuffer {
 public:
  enum Side { kBack, kFront };

  GuardBuffer() = default;
  explicit GuardBuffer(size_t bytes, Side side = kBack) : bytes_(bytes) {
    const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    const size_t usable = (bytes + page - 1) / page * page;
    mapped_ = usable + 2 * page;  // a page on each side
    void* memory = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    base_ = static_cast<std::byte*>(memory);
    if (usable > 0 && mprotect(base_ + page, usable, PROT_READ | PROT_WRITE) != 0) {
      throw std::bad_alloc();
    }
    data_ = side == kBack ? base_ + page + usable - bytes : base_ + page;
  }
  GuardBuffer(GuardBuffer&& other) noexcept { swap(other); }
  GuardBuffer& operator=(GuardBuffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~GuardBuffer() {
    if (base_) munmap(base_, mapped_);
  }

  std::byte* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  void swap(GuardBuffer& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(data_, other.data_);
    std::swap(mapped_, other.mapped_);
    std::swap(bytes_, other.bytes_);
  }

  std::byte* base_ = nullptr;
  std::byte* data_ = nullptr;
  size_t mapped_ = 0, bytes_ = 0;
};

}  // namespace tenon::test
