package sort

import (
	"maps"
	"math/bits"
	"slices"
	"unsafe"

	"gsql/internal/mem"
	"gsql/sql/types"
	"gsql/sql/vec"
)

const (
	rankedRows = 1 << 12 // rows from which texts may be ranked
	mostRanks  = 1 << 12 // distinct texts that are ranked at most
	rankBytes  = 64      // memory of one of them in a map
	lookedAt   = 1 << 10 // rows that are looked at first
	narrowText = 16      // bits of texts that need no ranks
)

// ranks are the codes of a key's distinct texts, in their order.
type ranks map[string]uint64

// rank replaces the texts of a field, of which the code would hold only the first bytes, by their
// ranks if few are distinct: the following keys then fit in the code, too. It reports whether it did.
func (s *sorter) rank(account *mem.Account, f *field, room int) (bool, error) {
	v := f.v
	if v.Type.Kind() != types.KindStr || v.N < rankedRows || !fewTexts(v) {
		return false, nil
	}
	workers := s.workers(v.N)
	bytes := int64(mostRanks * rankBytes * workers)
	if account.Reserve(bytes) != nil {
		return false, nil // texts are compared instead
	}
	s.reserved += bytes
	found := make([]ranks, workers)
	for w := range found {
		found[w] = ranks{}
	}
	err := s.ranges(v.N, workers, func(w, lo, hi int) { found[w].add(v, lo, hi) })
	if err != nil {
		return false, err
	}
	all := found[0]
	for _, more := range found[1:] {
		maps.Copy(all, more)
	}
	width := bits.Len(uint(len(all) + f.nullable - 1))
	if len(all) > mostRanks || width > room {
		return false, nil
	}
	for i, text := range slices.Sorted(maps.Keys(all)) {
		all[text] = uint64(i)
	}
	f.ranks, f.bits, f.skip, f.take, f.length = all, width, 0, 0, 0
	return true, nil
}

// fewTexts reports whether a sample of the rows has few distinct texts.
func fewTexts(v *vec.Vector) bool {
	some := map[string]bool{}
	for i := 0; i < v.N; i += v.N / lookedAt {
		some[v.Str[i]] = true
		if len(some) > lookedAt*7/8 { // of 4096 texts, 1024 rows have 906
			return false
		}
	}
	return true
}

// add adds the texts of rows [lo, hi), up to more than can be ranked.
func (r ranks) add(v *vec.Vector, lo, hi int) {
	var recent recentTexts
	for i := lo; i < hi && len(r) <= mostRanks; i++ {
		if v.Null != nil && v.Null[i] {
			continue
		}
		if t := recent.of(v.Str[i]); !t.is(v.Str[i]) {
			r[v.Str[i]] = 0
			t.remember(v.Str[i], 0)
		}
	}
}

// recentTexts remembers the codes of texts by where they are in memory, because equal texts often
// share it.
type recentTexts [256]recentText

type recentText struct {
	at   *byte
	n    int
	code uint64
}

func (r *recentTexts) of(s string) *recentText {
	at := uintptr(unsafe.Pointer(unsafe.StringData(s)))
	return &r[(at^at>>8^at>>16)%uintptr(len(r))]
}

func (t *recentText) is(s string) bool {
	return t.n == len(s) && t.at == unsafe.StringData(s) && t.at != nil
}

func (t *recentText) remember(s string, code uint64) {
	*t = recentText{unsafe.StringData(s), len(s), code}
}

// codes returns a function that returns the codes of texts; first is that of the first text.
func (r ranks) codes(first int) func(string) uint64 {
	var recent recentTexts
	return func(s string) uint64 {
		t := recent.of(s)
		if !t.is(s) {
			t.remember(s, r[s]+uint64(first))
		}
		return t.code
	}
}
