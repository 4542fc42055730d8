// Validity columns computed of others.
//
// Bytes: what is read of a row and the byte written.
#include "device.cuh"

// gsql_valid_both sets out[i] to whether row i is valid in both columns.
KERNEL((256), gsql_valid_both, const uint8_t* a, const uint8_t* b, uint8_t* out, int64_t n) {
  for (int64_t i = gsql::globalThread(); i < n; i += gsql::globalThreads()) out[i] = a[i] != 0 && b[i] != 0;
}

// gsql_valid_numbers sets out[i] to whether row i is valid and not NaN, which no join
// condition is true of. valid may be 0.
KERNEL((256), gsql_valid_numbers, const double* values, const uint8_t* valid, uint8_t* out, int64_t n) {
  for (int64_t i = gsql::globalThread(); i < n; i += gsql::globalThreads())
    out[i] = (valid == nullptr || valid[i] != 0) && values[i] == values[i];
}
