package lower

import (
	"slices"

	"gsql/gpu/column"
	"gsql/gpu/pipeline"
)

// eitherText returns one of two texts, as a code of a dictionary with those of both.
func (l *scalars) eitherText(cond *pipeline.Expr, yes, no value) value {
	out := value{text: true}
	switch {
	case yes.texts == nil || no.texts == nil: // only statistics are known
		out.e = l.If(cond, yes.e, no.e)
		return out
	case yes.texts == no.texts:
		out.texts = yes.texts
	default:
		all := slices.Concat(yes.texts.Texts, no.texts.Texts)
		slices.Sort(all)
		out.texts = &column.Dictionary{Texts: slices.Compact(all)}
	}
	out.e = l.If(cond, l.recoded(yes, out.texts), l.recoded(no, out.texts))
	return out
}

// recoded returns the codes of a text in a dictionary that has all of its texts.
func (l *scalars) recoded(v value, in *column.Dictionary) *pipeline.Expr {
	if v.texts == in || v.e.Op == pipeline.OpNull {
		return v.e
	}
	codes := make([]int64, len(v.texts.Texts))
	for i, t := range v.texts.Texts {
		at, _ := slices.BinarySearch(in.Texts, t)
		codes[i] = int64(at)
	}
	if v.e.IsConst() {
		return l.Int(codes[v.e.Value])
	}
	return l.Lookup(l.constants(codes), v.e)
}

// likeOther returns v, as a text if it is NULL and other is a text.
func likeOther(v, other value) value {
	if other.text && !v.text && v.e != nil && v.e.Op == pipeline.OpNull {
		v.text, v.texts = true, &column.Dictionary{}
	}
	return v
}
