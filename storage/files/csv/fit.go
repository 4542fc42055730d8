package csv

// fit replaces the texts of a JSON, ENUM or SET column by the values that it stores for them. Texts
// that are none do not fit.
func (v *conversion) fit() {
	for i, s := range v.dst.Str {
		if v.null[i] {
			continue
		}
		var ok bool
		if v.dst.Str[i], ok = v.Store(s); !ok {
			v.dst.Str[i], v.null[i], v.any = "", true, true
			v.bad(i)
		}
	}
}
