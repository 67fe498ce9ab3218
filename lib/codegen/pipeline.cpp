#include "codegen/pipeline.h"

#include <llvm/Pass.h>

#include <algorithm>
#include <string_view>

namespace tenon::codegen {
namespace {

// By name: most of these passes have no public identity. A name that LLVM changes costs a little
// time and nothing else.
constexpr std::string_view kNotNeeded[] = {
    // Intrinsics that are not emitted.
    "Lower AMX intrinsics", "Lower AMX type for load/store", "Tile Register Pre-configure",
    "Tile Register Configure", "X86 Lower Tile Copy", "Fixup Statepoint Caller Saved",
    "StackMap Liveness Analysis", "Remove Loads Into Fake Uses", "Pseudo Probe Inserter",
    "Replace intrinsics with calls to vector library", "Expand indirectbr instructions",
    "Prepare callbr", "Expand memcmp() to load/stores", "Merge contiguous icmps into a memcmp",
    "Partially inline calls to library functions", "Interleaved Access Pass",
    "Expand Atomic instructions",
    // Shapes of code that a kernel does not have: integers beyond 64 bits in a division, `freeze`,
    // thread-local variables, x87, bundles, allocations of variable size, arguments on the stack,
    // copies of structures.
    "Expand IR instructions", "Canonicalize Freeze Instructions in Loops",
    "Local Dynamic TLS Access Clean-up", "X86 PIC Global Base Reg Initialization",
    "X86 FP Stackifier", "X86 insert wait instruction", "Unpack machine instruction bundles",
    "X86 DynAlloca Expander", "Argument Stack Rebase", "X86 Optimize Call Frame",
    "X86 Avoid Store Forwarding Blocks", "Type-Based Alias Analysis",
    "Scoped NoAlias Alias Analysis",
    // What Tenon's own passes, its loops (emit_loop.cpp) and EarlyCSE leave nothing to do for.
    "Loop Strength Reduction", "Constant Hoisting", "Early Tail Duplication", "Tail Duplication",
    "Early If-Conversion", "Optimize machine instruction PHIs", "PostRA Machine Sink",
    "Shrink Wrapping analysis", "Merge disjoint stack slots", "Local Stack Slot Allocation",
    // For other processors.
    "Detect Dead Lanes", "Init Undef Pass", "Rename Disconnected Subregister Components",
    "Post RA top-down list latency scheduler", "X86 Atom pad short functions",
    // Attributes of functions.
    "Lower Garbage Collection Instructions", "Shadow Stack GC Lowering",
    "Analyze Machine Code For Garbage Collection", "Exception handling preparation",
    "ObjC ARC contraction", "Safe Stack instrumentation pass", "Insert stack protectors",
    "Instrument function entry/exit with calls to e.g. mcount() (post inlining)",
    "Insert fentry calls", "Insert XRay ops", "Implement the 'patchable-function' attribute",
    "Contiguously Lay Out Funclets", "Machine Sanitizer Binary Metadata",
    "X86 speculative load hardening", "X86 Load Value Injection (LVI) Load Hardening",
    "X86 Load Value Injection (LVI) Ret-Hardening",
    "X86 Speculative Execution Side Effect Suppression", "X86 Indirect Branch Tracking",
    "X86 Indirect Thunks", "X86 Return Thunks", "Insert KCFI indirect call checks",
    "Check CFA info and insert CFI instructions if needed",
    "X86 Suppress APX features for relocation",
    // Debug information.
    "Assignment Tracking Analysis", "Remove Redundant DEBUG_VALUE analysis",
    "Live DEBUG_VALUE analysis", "Stack Frame Layout Analysis", "Register Allocation Pass Scoring"};

}  // namespace

void KernelPipeline::add(llvm::Pass* pass) {
  const llvm::StringRef name = pass->getPassName();
  if (std::find(std::begin(kNotNeeded), std::end(kNotNeeded), std::string_view(name)) ==
      std::end(kNotNeeded)) {
    passes_.add(pass);
  } else {
    delete pass;
  }
}

}  // namespace tenon::codegen
