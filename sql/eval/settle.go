package eval

import (
	"sync"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// settling is an expression with a part that carries digits. The program that computes it without
// carried digits is compiled when the first row needs it.
type settling struct {
	e     expr.Expr
	input []expr.ColID
	short bool // registers hold fewer digits than MySQL carries, whatever the values

	once    sync.Once
	program *Program
	err     error
}

func (s *settling) compiled() (*Program, error) {
	s.once.Do(func() {
		if e := expr.Settled(s.e); e != nil {
			s.program, s.err = Compile(e, s.input)
		}
	})
	return s.program, s.err
}

// large computes the rows of a batch one by one, so that a row's value does not depend on the
// other rows of its batch. It first computes with the digits that quotients carry. If 128 bits do
// not suffice, as they never do if the expression falls short, it uses numbers of any size. If a part of the expression that is not arithmetic
// cannot hold the carried digits, it finally computes without them.
type large struct {
	carrying, settled *Evaluator // carrying is nil if the expression falls short
	exact             *exactly
	row               [1]int32
	out               vec.Vector
}

func outOfRange(err error) bool { return sqlerr.From(err).Code == sqlerr.DataOutOfRange }

func (ev *Evaluator) rowByRow(b *vec.Batch) (*vec.Vector, error) {
	if ev.large == nil {
		p, err := ev.p.settled.compiled()
		if err != nil {
			return nil, err
		}
		ev.large = &large{}
		if !ev.p.settled.short {
			ev.large.carrying = ev.p.NewEvaluator(ev.rt.Ctx)
			ev.large.carrying.alone = true
		}
		if ev.large.exact, err = newExact(ev.p.settled.e, ev.p.settled.input, ev.rt.Ctx); err != nil {
			return nil, err
		}
		if p != nil {
			ev.large.settled = p.NewEvaluator(ev.rt.Ctx)
			ev.large.settled.alone = true
		}
	}
	l := ev.large
	l.out.Type = ev.p.settled.e.Type()
	l.out.Resize(b.N)
	for i := range b.N {
		d, err := l.at(b, i)
		if err != nil {
			return nil, err
		}
		d.Put(&l.out, i)
	}
	return &l.out, nil
}

// at computes row i.
func (l *large) at(b *vec.Batch, i int) (catalog.Datum, error) {
	l.row[0] = int32(i)
	if l.carrying != nil {
		v, err := l.carrying.Eval(l.carrying.narrowed(b, l.row[:]))
		if err == nil {
			return catalog.DatumAt(v, 0), nil
		}
		if !outOfRange(err) {
			return catalog.Datum{}, err
		}
	}
	d, err := l.exact.at(b, i)
	if err == nil || l.settled == nil || !outOfRange(err) {
		return d, err
	}
	v, err := l.settled.Eval(l.settled.narrowed(b, l.row[:]))
	if err != nil {
		return catalog.Datum{}, err
	}
	return catalog.DatumAt(v, 0), nil
}
