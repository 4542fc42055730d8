package column_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gsql/gpu/column"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestDictionaryOrder: codes follow the bytes of the texts, whatever the order of appearance, and
// entries of a segment's dictionary that no row has do not count.
func TestDictionaryOrder(t *testing.T) {
	str := types.T(types.String)
	dict := &vec.Vector{Type: str, N: 4, Str: []string{"b", "unused", "", "é"}, Dict: true}
	flat := &vec.Vector{Type: str, N: 4, Str: []string{"é", "Z", "a", "b"}, Null: []bool{false, false, true, false}}
	parts := []*vec.Vector{
		{Type: str, Form: vec.View, N: 5, Base: dict, Idx: []int32{3, 0, -1, 2, 0}}, flat,
		{Type: str, Form: vec.View, N: 2, Base: dict, Idx: []int32{2, 2}},
		{Type: str, Form: vec.Const, N: 2, Str: []string{"\xff"}}, vec.NewNull(str, 1),
	}
	l, rows := pack(t, 0, parts...)
	if want := []string{"", "Z", "b", "é", "\xff"}; !slices.Equal(l.Texts.Texts, want) {
		t.Fatalf("dictionary %q, want %q", l.Texts.Texts, want)
	}
	got := ""
	for _, x := range rows {
		if x == nil {
			got += "- "
		} else {
			got += fmt.Sprint(*x, " ")
		}
	}
	if want := "3 2 - 0 2 3 1 - 2 0 0 4 4 - "; got != want || l.Min != 0 || l.Max != 4 || l.Width != 1 {
		t.Errorf("codes %s, want %s; %+v", got, want, l.Narrow)
	}
	flat.Str[1] = "overwritten"
	if l.Texts.Texts[1] != "Z" {
		t.Error("the dictionary changes with a vector")
	}
}

// TestUnite: the dictionary of several collections has each text once.
func TestUnite(t *testing.T) {
	var all []*column.Texts
	var charged int64
	lists := [][]string{{"d", "a"}, {}, {"c", "a", "e"}, {"d"}}
	for _, texts := range lists {
		p := column.NewPacker(types.T(types.String), room, func(n int64) error { charged += n; return nil })
		if len(texts) > 0 {
			if _, err := p.Pack(&vec.Vector{Type: types.T(types.String), N: len(texts), Str: texts}); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Texts.Sort(); err != nil {
			t.Fatal(err)
		}
		all = append(all, p.Texts)
	}
	if charged < 6 {
		t.Errorf("%d bytes were charged for six texts", charged)
	}
	d, codes, err := column.Unite(all, free)
	if err != nil || !slices.Equal(d.Texts, []string{"a", "c", "d", "e"}) {
		t.Fatalf("%v, %v", d, err)
	}
	if want := [][]uint32{{2, 0}, {}, {1, 0, 3}, {2}}; !slices.EqualFunc(codes, want, slices.Equal) {
		t.Errorf("codes %v, want %v", codes, want)
	}
	no := errors.New("no memory")
	if _, _, err := column.Unite(all, func(int64) error { return no }); !errors.Is(err, no) {
		t.Errorf("error %v", err)
	}
}

// TestTextsAreCharged: an account that refuses ends the packing.
func TestTextsAreCharged(t *testing.T) {
	no := errors.New("no memory")
	left := int64(1 << 20)
	p := column.NewPacker(types.T(types.String), room, func(n int64) error {
		if left -= n; left < 0 {
			return no
		}
		return nil
	})
	v := vec.NewFlat(types.T(types.String), 2000)
	for i := range v.Str {
		v.Str[i] = fmt.Sprintf("%01000d", i)
	}
	if _, err := p.Pack(v); !errors.Is(err, no) {
		t.Errorf("two megabytes of texts within one: %v", err)
	}
}

// TestUniteMany: the codes of collections of any number and size lead back to their texts.
func TestUniteMany(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	for count := range 12 {
		var all []*column.Texts
		var lists [][]string
		var want []string
		for range count {
			p := column.NewPacker(types.T(types.String), room, free)
			v := vec.NewFlat(types.T(types.String), 1+r.IntN(60))
			var list []string
			for i := range v.Str {
				v.Str[i] = fmt.Sprint(r.IntN(90))
				if !slices.Contains(list, v.Str[i]) {
					list = append(list, v.Str[i])
				}
			}
			if _, err := p.Pack(v); err != nil {
				t.Fatal(err)
			}
			if err := p.Texts.Sort(); err != nil {
				t.Fatal(err)
			}
			all, lists, want = append(all, p.Texts), append(lists, list), append(want, list...)
		}
		slices.Sort(want)
		d, codes, err := column.Unite(all, free)
		if err != nil || !slices.Equal(d.Texts, slices.Compact(want)) {
			t.Fatalf("%d collections: %v, %v", count, d, err)
		}
		for i, list := range lists {
			for number, text := range list {
				if d.Texts[codes[i][number]] != text {
					t.Fatalf("collection %d, number %d: code %d, want that of %s", i, number, codes[i][number], text)
				}
			}
		}
	}
}
