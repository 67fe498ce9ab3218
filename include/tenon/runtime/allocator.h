// Where scratch memory comes from. The default uses aligned operator new.
#pragma once

#include <cstddef>

namespace tenon {

class Allocator {
 public:
  virtual ~Allocator() = default;
  // `alignment` is a power of two. Null on failure: the call returns ResourceExhausted.
  virtual void* allocate(size_t bytes, size_t alignment) = 0;
  virtual void release(void* memory, size_t bytes, size_t alignment) = 0;
};

// Thread-safe, without state.
Allocator& default_allocator();

}  // namespace tenon
