package statement

import "gsql/sql/parse"

// Hint is a hint of the statement's text.
type Hint struct {
	parse.Hint
	Used bool
}

func newHints(list []parse.Hint) []Hint {
	out := make([]Hint, len(list))
	for i, h := range list {
		out[i].Hint = h
	}
	return out
}
