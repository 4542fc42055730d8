// Composite keys packed into one column: each part less its least value, in bits of its own.
//
// Bytes: each part read once, the key written once a part and read again from the second on.
#include "device.cuh"

namespace gsql {

// packPart puts values - low, at most range, into the bits of keys from shift on. valid of
// the packed key becomes 0 where a part is NULL or beyond the range, which the other side's
// values do not reach. The first part sets keys and packedValid, the others add to them.
template <class In, class Key>
__device__ void packPart(const In* values, const uint8_t* valid, i64 n, i64 low, u64 range, u32 shift, bool first,
                         Key* keys, uint8_t* packedValid) {
  for (i64 i = globalThread(); i < n; i += globalThreads()) {
    u64 place = u64(i64(values[i])) - u64(low);
    bool inside = (valid == nullptr || valid[i] != 0) && place <= range;
    Key part = inside ? Key(place << shift) : Key(0);
    keys[i] = first ? part : Key(keys[i] | part);
    packedValid[i] = uint8_t(inside && (first || packedValid[i] != 0));
  }
}

}  // namespace gsql

#define PACK(in, key, suffix)                                                                                       \
  KERNEL((256), gsql_pack_part_##suffix, const in* values, const uint8_t* valid, int64_t n, int64_t low,              \
         uint64_t range, uint64_t shift, uint64_t first, key* keys, uint8_t* packedValid) {                           \
    gsql::packPart(values, valid, n, low, range, uint32_t(shift), first != 0, keys, packedValid);                     \
  }

PACK(int32_t, uint32_t, i32b4)
PACK(int32_t, uint64_t, i32b8)
PACK(int64_t, uint32_t, i64b4)
PACK(int64_t, uint64_t, i64b8)
#undef PACK
