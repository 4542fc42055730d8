package cost

import (
	"gsql/internal/textradix"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// TextNumbers estimates how many consecutive integers the values of a text span. Joins map texts
// of at most 15 bytes to mixed-radix numbers, by the bytes that occur in each position. It
// returns 0 if joins make no numbers of the texts or if there are no sample rows to tell.
func (p *Props) TextNumbers(e expr.Expr) float64 {
	if e.Type().Kind() != types.KindStr {
		return 0
	}
	s, ok := p.rowsOf(0, e) // for a small table, these are all the texts that a join would number
	if !ok {
		return 0
	}
	return remembered(&s, s.looks.numbers, 'x', e, func() float64 {
		v := s.values(e, 0, s.rows.N)
		if v == nil {
			return 0
		}
		var texts []string
		for i, text := range v.Str[:v.N] {
			if v.Null == nil || !v.Null[i] {
				texts = append(texts, text)
			}
		}
		return numbersOf(texts)
	})
}

// numbersOf returns how many numbers texts span, 0 if they have none.
func numbersOf(texts []string) float64 {
	var bounds textradix.Bounds
	if len(texts) == 0 || !bounds.Widen(texts) {
		return 0
	}
	numbers, ok := bounds.Numbers()
	if !ok {
		return 0
	}
	return float64(numbers.Count)
}
