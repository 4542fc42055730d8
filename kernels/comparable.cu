// Which doubles can be compared: NaN equals nothing and is not less than anything, so in a
// sorted column it would have no place.
//
// Bytes: 8 read and 1 written a row, and its validity.
#include "device.cuh"

// gsql_comparable_f64 sets flags[i] to whether row i is neither NULL nor NaN; valid is
// nullptr where no row is NULL.
KERNEL((256), gsql_comparable_f64, const double* values, const uint8_t* valid, int64_t n, uint8_t* flags) {
  for (int64_t i = gsql::globalThread(); i < n; i += gsql::globalThreads())
    flags[i] = (valid == nullptr || valid[i] != 0) && values[i] == values[i];
}
