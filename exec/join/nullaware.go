package join

import (
	"slices"

	"gsql/exec/join/match"
	"gsql/exec/op"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// oneOperand reports whether a single right row with a NULL determines the marks of all left
// rows, because the condition is a single equality.
func (p *plan) oneOperand() bool { return len(p.right.Exprs) == 1 && p.residual == nil }

func (p *plan) findNulls(side *match.Side) match.NullRows {
	if p.wholeRight != nil {
		return *p.wholeRight
	}
	n := match.NullRows{Rows: side.Rows}
	if !slices.ContainsFunc(side.Keys, (*vec.Vector).MayHaveNulls) {
		return n
	}
	for r := range side.Rows {
		if p.hasNull(side, r) {
			n.Nulls = append(n.Nulls, int32(r))
		}
	}
	return n
}

// hasNull reports whether an operand of row r is NULL, which makes the condition NULL or FALSE
// for every partner.
func (p *plan) hasNull(s *match.Side, r int) bool {
	for i, k := range s.Keys {
		if (i >= len(p.nullSafe) || !p.nullSafe[i]) && (k.Form != vec.Flat || k.Null != nil || k.Type.ID == types.Null) && k.IsNull(r) {
			return true
		}
	}
	return false
}

// unknownFinder sets the unknown marks that pairs alone do not show: matchers never pair NULLs,
// but a NULL operand makes the condition NULL if no other conjunct is FALSE. With one operand and
// no residual predicate, any right row is enough to decide; otherwise the whole condition is
// evaluated for the left row and the right rows for which a NULL takes part.
type unknownFinder struct {
	ctx    *op.Ctx
	plan   *plan
	right  *match.Side
	nulls  match.NullRows
	marks  *marks
	check  *checker
	l, r   []int32
	row    [1]int32
	direct bool
}

func (p *plan) unknownFinder(ctx *op.Ctx, right *match.Side, nulls match.NullRows, m *marks) *unknownFinder {
	return &unknownFinder{ctx: ctx, plan: p, right: right, nulls: nulls, marks: m,
		check: p.unknowns.checker(ctx), direct: p.oneOperand()}
}

// find completes the marks of left rows [from, to).
func (u *unknownFinder) find(left *match.Side, from, to int) error {
	if u.nulls.Rows == 0 {
		return nil
	}
	for r := from; r < to; r++ {
		if u.settled(r) {
			continue
		}
		null := u.plan.hasNull(left, r)
		if !null && len(u.nulls.Nulls) == 0 {
			continue
		}
		if u.direct {
			u.row[0] = int32(r)
			set(u.marks.unknown, u.row[:], u.marks.shared)
			continue
		}
		if err := u.scan(left, int32(r), null); err != nil {
			return err
		}
	}
	return nil
}

// settled reports whether a left row's mark is known, except for partners found later.
func (u *unknownFinder) settled(l int) bool {
	return isSet(u.marks.hit, l) || isSet(u.marks.unknown, l)
}

// scan evaluates the condition for left row l and all right rows, or only those with NULLs, until
// it is NULL once.
func (u *unknownFinder) scan(left *match.Side, l int32, all bool) error {
	n := len(u.nulls.Nulls)
	if all {
		n = u.nulls.Rows
	}
	for at := 0; at < n; at += op.Block {
		if err := u.ctx.Err(); err != nil {
			return err
		}
		u.l, u.r = u.l[:0], u.r[:0]
		for i := at; i < min(at+op.Block, n); i++ {
			r := int32(i)
			if !all {
				r = u.nulls.Nulls[i]
			}
			u.l, u.r = append(u.l, l), append(u.r, r)
		}
		_, unknown, err := u.check.keep(left, u.right, u.l, u.r)
		if err != nil {
			return err
		}
		if len(unknown) > 0 {
			set(u.marks.unknown, unknown[:1], u.marks.shared)
			return nil
		}
	}
	return nil
}
