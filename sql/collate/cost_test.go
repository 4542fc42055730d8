package collate_test

import (
	"runtime"
	"strings"
	"testing"

	"gsql/sql/collate"
	"gsql/sql/types"
)

// TestCost compares the estimates with what making keys of long texts allocates.
func TestCost(t *testing.T) {
	for _, c := range []types.Collation{types.GeneralCI, types.UnicodeCI, types.UCA, types.UCAAccents, types.UCACase} {
		for _, part := range []string{"a", "Zq", "ä", "é ", "日本", "\U0001F600", "ﷺ", "㍿", "ﬃ", "e\u0301"} {
			s := strings.Repeat(part, 1<<18/len(part))
			for name, x := range map[string]struct {
				write func([]byte, types.Collation, string) []byte
				cost  int64
			}{"key": {collate.AppendKey, collate.Cost(c, s)}, "fold": {collate.AppendFolded, collate.FoldCost(c, s)}} {
				x.write(nil, c, "warm up")
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				x.write(nil, c, s)
				runtime.ReadMemStats(&after)
				taken := int64(after.TotalAlloc - before.TotalAlloc)
				t.Logf("%v %s %s: %.1f allocated per byte, %.1f estimated", c, name, part, float64(taken)/float64(len(s)), float64(x.cost)/float64(len(s)))
				if taken*2 > 5*x.cost { // what grows leaves its former memory behind
					t.Errorf("%v %s %s: %d bytes were allocated, %d estimated", c, name, part, taken, x.cost)
				}
			}
		}
	}
}
