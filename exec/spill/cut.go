package spill

import (
	"gsql/sql/types"
	"gsql/sql/vec"
)

// longText is the number of bytes of texts from which a Reader reserves memory for a block.
// WriteAll makes blocks of less, unless a single row has more.
const longText = 1 << 20

// WriteAll appends the rows of b like Write, in blocks of at most most rows that readers can hold
// one at a time: texts are short, or there is one row.
func (f *File) WriteAll(b *vec.Batch, most int) (blocks []Block, err error) {
	short := textsOf(b) < longText
	for from := 0; from < b.N; {
		to := min(from+most, b.N)
		if !short {
			to = cut(b, from, to)
		}
		part := b
		if to-from < b.N {
			part = b.Slice(from, to)
		}
		block, err := f.Write(part)
		if err != nil {
			return blocks, err
		}
		blocks = append(blocks, block)
		from = to
	}
	return blocks, nil
}

// cut returns the end of the longest block from row from on, at most to.
func cut(b *vec.Batch, from, to int) int {
	bytes := 0
	for i := from; i < to; i++ {
		for _, c := range b.Cols {
			bytes += textLen(c, i)
		}
		if bytes >= longText && i > from {
			return i
		}
	}
	return to
}

func textLen(v *vec.Vector, i int) int {
	if v.Type.Kind() != types.KindStr {
		return 0
	}
	switch v.Form {
	case vec.Const:
		return len(v.Str[0])
	case vec.View:
		if x := v.Idx[i]; uint32(x) < uint32(len(v.Base.Str)) {
			return len(v.Base.Str[x])
		}
		return 0
	}
	return len(v.Str[i])
}

// textsOf returns the number of bytes of all texts of b, including those that belong to tables and
// dictionaries.
func textsOf(b *vec.Batch) (n int) {
	for _, c := range b.Cols {
		if c.Type.Kind() != types.KindStr || b.N == 0 {
			continue
		}
		switch c.Form {
		case vec.Const:
			n += b.N * len(c.Str[0])
		case vec.View:
			strs := c.Base.Str
			for _, x := range c.Idx[:b.N] {
				if uint32(x) < uint32(len(strs)) {
					n += len(strs[x])
				}
			}
		default:
			for _, s := range c.Str[:b.N] {
				n += len(s)
			}
		}
	}
	return n
}
