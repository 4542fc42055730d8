package cost

import (
	"math"

	"gsql/sql/expr"
	"gsql/sql/types"
)

// TextNumbers estimates among how many consecutive integers the values of a text are, which joins
// make of texts of at most 15 bytes by the bytes that are met in each place, in numbers of mixed
// radix; 0 where they make none or rows of the table do not tell.
func (p *Props) TextNumbers(e expr.Expr) float64 {
	if e.Type().Kind() != types.KindStr {
		return 0
	}
	s, ok := p.sampleOf(e)
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

// numbersOf gives the numbers that texts have between them, 0 where there are none within 63 bits.
func numbersOf(texts []string) float64 {
	const longest = 15
	var lo, hi [longest + 1]byte // of a text's bytes, zeros and its length
	for i := range lo {
		lo[i] = math.MaxUint8
	}
	for _, text := range texts {
		if len(text) > longest {
			return 0
		}
		var image [longest + 1]byte
		copy(image[:], text)
		image[longest] = byte(len(text))
		for i, b := range image {
			lo[i], hi[i] = min(lo[i], b), max(hi[i], b)
		}
	}
	count, left := 1.0, 1.0
	for i := range lo {
		digits := 1 + float64(max(lo[i], hi[i])-lo[i])
		if i%2 == 1 && (digits > math.MaxInt8 || left*digits > math.MaxInt16) { // two bytes make one digit first
			return 0
		}
		count, left = count*digits, digits
	}
	if len(texts) == 0 || count >= 1<<63 {
		return 0
	}
	return count
}
