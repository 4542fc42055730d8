package keytable

import (
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/exec/rowhash"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// differing appends to lied the rows of the flat vector k that differ from the group key to which
// they were mapped. NULL equals NULL, -0 equals 0 and NaN equals NaN.
func differing(k, group *vec.Vector, gids []int32, lied []int32) []int32 {
	switch k.Type.Kind() {
	case types.KindI64, types.KindU64:
		return compare(k.I64, group.I64, k.Null, group.Null, gids, lied)
	case types.KindDec:
		return compare[decimal128.Num](k.Dec, group.Dec, k.Null, group.Null, gids, lied)
	case types.KindStr:
		return compare(k.Str, group.Str, k.Null, group.Null, gids, lied)
	case types.KindF64:
		return compareFloats(k, group, gids, lied)
	}
	return lied
}

func compare[T comparable](a, b []T, aNull, bNull []bool, gids, lied []int32) []int32 {
	a = a[:len(gids)]
	if aNull == nil && bNull == nil {
		for i, g := range gids {
			if a[i] != b[g] {
				lied = append(lied, int32(i))
			}
		}
		return lied
	}
	for i, g := range gids {
		an, bn := aNull != nil && aNull[i], bNull != nil && bNull[g]
		if an != bn || !an && a[i] != b[g] {
			lied = append(lied, int32(i))
		}
	}
	return lied
}

func compareFloats(k, group *vec.Vector, gids, lied []int32) []int32 {
	for i, g := range gids {
		an, bn := k.Null != nil && k.Null[i], group.Null != nil && group.Null[g]
		if an != bn || !an && k.F64[i] != group.F64[g] && rowhash.FloatBits(k.F64[i]) != rowhash.FloatBits(group.F64[g]) {
			lied = append(lied, int32(i))
		}
	}
	return lied
}
