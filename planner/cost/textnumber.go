package cost

import (
	"gsql/internal/textradix"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// TextNumbers estimates among how many consecutive integers the values of a text are, which joins
// make of texts of at most 15 bytes by the bytes that are met in each place, in numbers of mixed
// radix; 0 if they make none or sample rows do not show it.
func (p *Props) TextNumbers(e expr.Expr) float64 {
	if e.Type().Kind() != types.KindStr {
		return 0
	}
	s, ok := p.rowsOf(0, e) // of a small table, all that a join makes them of
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

// numbersOf returns the numbers that texts have between them, 0 where there are none.
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
