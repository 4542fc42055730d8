package vec

import (
	"strings"

	"gsql/sql/types"
)

// SharesTexts reports whether the texts of v belong to a table or a dictionary. Other texts may
// outlive the operator that made them if a consumer keeps them; the consumer then accounts for
// their memory.
func (v *Vector) SharesTexts() bool {
	if v.Form == View {
		v = v.Base
	}
	return v.Stored || v.Dict
}

// TextBytes returns the number of bytes of v's texts that stay allocated while a consumer keeps
// the texts. It excludes shared texts (see SharesTexts).
func (v *Vector) TextBytes() int64 {
	if v.Type.Kind() != types.KindStr || v.N == 0 || v.SharesTexts() {
		return 0
	}
	n := 0
	switch v.Form {
	case Const:
		n = len(v.Str[0])
	case Flat:
		for _, s := range v.Str[:v.N] {
			n += len(s)
		}
	case View:
		strs := v.Base.Str
		for _, x := range v.Idx {
			if uint32(x) < uint32(len(strs)) {
				n += len(strs[x])
			}
		}
	}
	return int64(n)
}

// DropTexts empties v, which Flatten has filled, so that it no longer keeps texts alive. Its memory stays.
func (v *Vector) DropTexts() {
	clear(v.Str)
	v.Str = v.Str[:0]
}

// OwnTexts moves the texts of a flat vector to memory of their own, so that keeping them keeps nothing else.
func (v *Vector) OwnTexts() {
	n := 0
	for _, s := range v.Str[:v.N] {
		n += len(s)
	}
	var b strings.Builder
	b.Grow(n)
	for _, s := range v.Str[:v.N] {
		b.WriteString(s)
	}
	all := b.String()
	for i, s := range v.Str[:v.N] {
		v.Str[i], all = all[:len(s)], all[len(s):]
	}
}
