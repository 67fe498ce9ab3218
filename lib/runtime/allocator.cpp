#include "tenon/runtime/allocator.h"

#include <new>

namespace tenon {
namespace {

class NewAllocator final : public Allocator {
 public:
  void* allocate(size_t bytes, size_t alignment) override {
    return ::operator new(bytes, std::align_val_t(alignment), std::nothrow);
  }
  void release(void* memory, size_t, size_t alignment) override {
    ::operator delete(memory, std::align_val_t(alignment));
  }
};

}  // namespace

Allocator& default_allocator() {
  static NewAllocator allocator;
  return allocator;
}

}  // namespace tenon
