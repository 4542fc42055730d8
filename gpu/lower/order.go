package lower

import (
	"errors"

	"gsql/gpu/pipeline"
	"gsql/sql/expr"
)

// ordering is the order of a flow's rows, which the host makes once it has them. The first offset rows
// are dropped, and of the others those beyond limit, unless it is negative.
type ordering struct {
	words         []*pipeline.Expr // integers to order by, the most significant first; none for no order
	limit, offset int64
	kept          float64 // rows that reach the host
}

// ordered makes orders of flows.
type ordered struct{ *lowering }

// digits returns the keys of an order as integers that are never NULL, the most significant first. Their
// order is that of the keys, with NULLs first, or last where they descend.
func (l ordered) digits(in env, keys []expr.SortKey) (digits []*pipeline.Expr, err error) {
	for _, k := range keys {
		v, err := l.scalar(in, k.Expr)
		if err != nil {
			return nil, err
		}
		if v, err = l.settled(v); err != nil {
			return nil, err
		}
		var d []*pipeline.Expr
		switch {
		case v.e == nil || v.e.IsConst() || v.e.Op == pipeline.OpNull: // the same for all rows
		default:
			d, err = l.valueDigits(v.e, k.Desc)
		}
		if err != nil {
			return nil, err
		}
		digits = append(digits, d...)
	}
	return digits, nil
}

// valueDigits returns a value as one integer from 0 on, or, if its range is too wide, as whether it is NULL
// and the integer as it is.
func (l ordered) valueDigits(e *pipeline.Expr, desc bool) ([]*pipeline.Expr, error) {
	switch e.Kind {
	case pipeline.Bool:
		e = l.ToInt(e)
	case pipeline.Float:
		e = l.Ordered(e)
	case pipeline.Int128:
		high, err := l.valueDigits(l.High(e), desc)
		if err != nil {
			return nil, err
		}
		low, err := l.valueDigits(l.If(l.IsNull(e), l.Int(0), l.Low(e)), desc)
		return append(high, low...), err
	}
	from, to := e, l.Int(e.Min)
	if desc {
		from, to = l.Int(e.Max), e
	}
	d, err := l.Arith(pipeline.OpSub, from, to)
	if err != nil || d.Max >= wordMost-1 {
		return l.farDigits(e, desc)
	}
	switch {
	case !e.Nullable:
		return []*pipeline.Expr{d}, nil
	case desc:
		return []*pipeline.Expr{l.If(l.IsNull(e), l.Int(d.Max+1), d)}, nil
	}
	d, err = l.Arith(pipeline.OpAdd, d, l.Int(1))
	return []*pipeline.Expr{l.If(l.IsNull(e), l.Int(0), d)}, err
}

func (l ordered) farDigits(e *pipeline.Expr, desc bool) ([]*pipeline.Expr, error) {
	x, there := e, l.Not(l.IsNull(e))
	var err error
	if desc {
		from := int64(0)
		if e.Min == -1<<63 {
			from = -1
		}
		if x, err = l.Arith(pipeline.OpSub, l.Int(from), e); err != nil {
			return nil, err
		}
		there = l.IsNull(e)
	}
	if !e.Nullable {
		return []*pipeline.Expr{x}, nil
	}
	return []*pipeline.Expr{l.ToInt(there), l.If(l.IsNull(e), l.Int(0), x)}, nil
}

// half is the number of values of the lower half of a wide sum.
const half = 1 << 32

// packer packs digits into words.
type packer struct {
	*lowering
	words []*pipeline.Expr
	word  *pipeline.Expr // the last one, or nil
	span  int64          // number of its values
	// lead is the first word with zeros for all digits but the first.
	lead *pipeline.Expr
}

// packed returns words of the order of digits. Where a digit does not fit, its upper bits fill the word.
func (l ordered) packed(digits []*pipeline.Expr) (*packer, error) {
	p := &packer{lowering: l.lowering}
	for _, d := range digits {
		if err := p.add(d); err != nil {
			return nil, err
		}
	}
	p.flush()
	return p, nil
}

// room reports whether the word can take a digit.
func (p *packer) room(d *pipeline.Expr) bool {
	return d.Min >= 0 && d.Max < wordMost && (p.word == nil || p.span <= wordMost/(d.Max+1))
}

func (p *packer) flush() {
	if p.word != nil {
		p.words = append(p.words, p.word)
		p.word = nil
	}
}

func (p *packer) append(d *pipeline.Expr) (err error) {
	if p.word == nil {
		p.word, p.span = d, d.Max+1
		if len(p.words) == 0 {
			p.lead = d
		}
		return nil
	}
	scaled, err := p.Arith(pipeline.OpMul, p.word, p.Int(d.Max+1))
	if err != nil {
		return err
	}
	if len(p.words) == 0 {
		if p.lead, err = p.Arith(pipeline.OpMul, p.lead, p.Int(d.Max+1)); err != nil {
			return err
		}
	}
	p.span *= d.Max + 1
	p.word, err = p.Arith(pipeline.OpAdd, scaled, d)
	return err
}

// splitRoom is the least number of values that the upper bits of a digit must have in a word.
const splitRoom = 16

// add adds a digit.
func (p *packer) add(d *pipeline.Expr) error {
	switch {
	case p.room(d):
		return p.append(d)
	case p.word != nil && p.span <= wordMost/splitRoom && d.Min > -1<<63:
		return p.split(d)
	}
	p.flush()
	if p.room(d) {
		return p.append(d)
	}
	p.words = append(p.words, d) // of 64 bits
	return nil
}

// split puts as many of the upper bits of a digit in the word as fit, and the others in the next one.
// Numbers of one quotient are in the order of their remainders, also if they are negative.
func (p *packer) split(d *pipeline.Expr) error {
	for bits := 1; bits < 63; bits++ {
		upper, err := p.Quotient(pipeline.OpQuo, d, p.Int(1<<bits))
		if err == nil {
			upper, err = p.Arith(pipeline.OpSub, upper, p.Int(upper.Min))
		}
		if err != nil || !p.room(upper) {
			continue
		}
		if err := p.append(upper); err != nil {
			return err
		}
		p.flush()
		lower, err := p.Quotient(pipeline.OpRem, d, p.Int(1<<bits))
		if err == nil {
			lower, err = p.Arith(pipeline.OpSub, lower, p.Int(lower.Min))
		}
		if err != nil {
			return err
		}
		return p.append(lower)
	}
	return errors.New("an order has no words")
}
