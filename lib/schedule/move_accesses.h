// Storing elements elsewhere: every access gets other indices.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "tenon/ir/program.h"

namespace tenon::primitives {

// The new index list from the old one.
using Placement = std::function<std::vector<Expr>(const std::vector<Expr>&)>;

// s with to[place(e)] for every load, store and accumulation of from[e]. Declarations stay. The
// results of a reduction by functions share their indices: only where `place` keeps them.
Stmt with_moved_accesses(const Stmt& s, const Buffer& from, const Buffer& to,
                         const Placement& place);

// The same for several buffers, which all move by `place`: results of a reduction keep one index
// list.
using Moves = std::vector<std::pair<Buffer, Buffer>>;
Stmt with_moved_accesses(const Stmt& s, const Moves& moves, const Placement& place);
// Likewise for buffers that keep their elements, and that are all results of their reductions.
Stmt with_moved_accesses(const Stmt& s, const std::vector<Buffer>& buffers, const Placement& place);

// s without the declaration of the buffer.
Stmt without_alloc(const Stmt& s, const Buffer& buffer);

}  // namespace tenon::primitives
