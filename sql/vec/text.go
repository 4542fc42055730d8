package vec

import "gsql/sql/types"

// SharesTexts reports whether the texts of v are a table's or a dictionary's. Those of an
// operator may outlive it where they are kept, and are accounted for there.
func (v *Vector) SharesTexts() bool {
	if v.Form == View {
		v = v.Base
	}
	return v.Stored || v.Dict
}

// TextBytes returns the bytes of v's texts that live as long as a consumer keeps the texts: it
// does not count texts that v shares.
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
