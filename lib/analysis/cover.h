// Does a store reach every element that another access touches?
#pragma once

#include <vector>

#include "tenon/analysis/access.h"
#include "tenon/analysis/facts.h"

namespace tenon {

// In every iteration in which `other` happens, is there one of the store for the same element?
// Shown by giving that iteration; where loops are common, it is in the same iteration of those.
// Neither may depend on data. The buffers are taken to be the same. `facts` are those of the
// statement in which both stand.
bool reaches(const Access& store, const Access& other, const Facts& facts);

}  // namespace tenon
