// Hashes of a column's keys.
//
// Bytes: keys read once, hashes written once.
#include "hash.cuh"

namespace gsql {

template <class Key>
__device__ void hashColumn(const Key* keys, Key* hashes, i64 n) {
  for (i64 i = globalThread(); i < n; i += globalThreads()) hashes[i] = hashKey(keys[i]);
}

}  // namespace gsql

KERNEL((256), gsql_hash_keys_b4, const uint32_t* keys, uint32_t* hashes, int64_t n) { gsql::hashColumn(keys, hashes, n); }
KERNEL((256), gsql_hash_keys_b8, const uint64_t* keys, uint64_t* hashes, int64_t n) { gsql::hashColumn(keys, hashes, n); }
