package keyenc

import (
	"gsql/exec/op"
	"gsql/internal/textradix"
	"gsql/sql/vec"
)

// numberTexts numbers the strings of v, which is flat; it returns nil if there are too many.
func numberTexts(v *vec.Vector) *textradix.Numbers {
	var some [op.Block]string
	var bounds textradix.Bounds
	numbers, ok := bounds.Numbers()
	for from := 0; from < v.N && ok; from += op.Block {
		part := v.Slice(from, min(from+op.Block, v.N))
		texts := part.Str[:part.N]
		if part.Null != nil {
			texts = some[:0]
			for i, null := range part.Null[:part.N] {
				if !null {
					texts = append(texts, part.Str[i])
				}
			}
		}
		if !bounds.Widen(texts) {
			return nil
		}
		numbers, ok = bounds.Numbers()
	}
	if !ok {
		return nil
	}
	return &numbers
}
