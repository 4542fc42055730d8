package stats

import (
	"strings"
	"testing"

	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestLongBounds checks that zones and descriptions of long texts are small and remain bounds.
func TestLongBounds(t *testing.T) {
	texts := []string{strings.Repeat("b", 1<<20), strings.Repeat("a", 2<<20), strings.Repeat("ä", 1<<20), strings.Repeat("a", 2<<20), "c"}
	v := &vec.Vector{Type: types.T(types.String), N: len(texts), Str: texts}
	z := Of(v, true)
	if len(z.Min.Str) > keptBound || len(z.Max.Str) > keptBound+4 {
		t.Errorf("bounds of %d and %d bytes", len(z.Min.Str), len(z.Max.Str))
	}
	for _, s := range texts {
		if s < z.Min.Str || s > z.Max.Str {
			t.Errorf("%.10q of %d bytes is beyond the bounds", s, len(s))
		}
	}
	if z.Sorted {
		t.Error("texts that descend are taken for sorted ones")
	}
	d := Describe(v, int64(len(texts)))
	if d.Distinct != 4 {
		t.Errorf("%d distinct values, not 4", d.Distinct)
	}
	for _, c := range d.Common {
		if len(c.Value.Str) > commonText {
			t.Errorf("a common value of %d bytes", len(c.Value.Str))
		}
	}
	acc := NewAccumulator(v.Type)
	for i := range texts[:3] { // each in a batch of its own: the last one of a batch is kept
		acc.Add(v.Slice(2-i, 3-i))
	}
	if acc.Zone().Sorted {
		t.Error("long texts of several batches that descend are taken for sorted ones")
	}
}
