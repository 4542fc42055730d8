package join

import (
	"slices"

	"gsql/exec/op"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// nullRows says which rows of a side, mostly the right one, a null-aware join has to look at
// beyond the pairs: those with a NULL operand.
type nullRows struct {
	rows  int     // of the side
	nulls []int32 // rows in which an operand that is not null-safe is NULL
}

// oneOperand tells whether any row with a NULL decides for all others: the condition is a
// single equality.
func (p *plan) oneOperand() bool { return len(p.right.exprs) == 1 && p.residual == nil }

func (p *plan) findNulls(side *Side) nullRows {
	if p.wholeRight != nil {
		return *p.wholeRight
	}
	n := nullRows{rows: side.Rows}
	if !slices.ContainsFunc(side.Keys, (*vec.Vector).MayHaveNulls) {
		return n
	}
	for r := range side.Rows {
		if p.hasNull(side, r) {
			n.nulls = append(n.nulls, int32(r))
		}
	}
	return n
}

// hasNull tells whether an operand of row r is NULL, which makes the condition NULL or
// FALSE, whatever the partner.
func (p *plan) hasNull(s *Side, r int) bool {
	for i, k := range s.Keys {
		if (i >= len(p.nullSafe) || !p.nullSafe[i]) && (k.Form != vec.Flat || k.Null != nil || k.Type.ID == types.Null) && k.IsNull(r) {
			return true
		}
	}
	return false
}

// unknownFinder sets the unknown marks that pairs alone do not show: matchers never
// pair NULLs, but a NULL operand makes the condition NULL where no other conjunct is
// FALSE. With one operand and no residual any right row decides it; otherwise the whole
// condition is evaluated for the left row and those right rows where a NULL is met.
type unknownFinder struct {
	ctx    *op.Ctx
	plan   *plan
	right  *Side
	nulls  nullRows
	marks  *marks
	check  *checker
	l, r   []int32
	row    [1]int32
	direct bool
}

func (p *plan) unknownFinder(ctx *op.Ctx, right *Side, nulls nullRows, m *marks) *unknownFinder {
	return &unknownFinder{ctx: ctx, plan: p, right: right, nulls: nulls, marks: m,
		check: p.unknowns.checker(ctx), direct: p.oneOperand()}
}

// find completes the marks of left rows [from, to).
func (u *unknownFinder) find(left *Side, from, to int) error {
	if u.nulls.rows == 0 {
		return nil
	}
	for r := from; r < to; r++ {
		if u.settled(r) {
			continue
		}
		null := u.plan.hasNull(left, r)
		if !null && len(u.nulls.nulls) == 0 {
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

// settled tells whether a left row's mark is known, but for a partner that may yet come.
func (u *unknownFinder) settled(l int) bool {
	return isSet(u.marks.hit, l) || isSet(u.marks.unknown, l)
}

// scan evaluates the condition for left row l, with all right rows or those with NULLs,
// until it is NULL once.
func (u *unknownFinder) scan(left *Side, l int32, all bool) error {
	n := len(u.nulls.nulls)
	if all {
		n = u.nulls.rows
	}
	for at := 0; at < n; at += block {
		if err := u.ctx.Err(); err != nil {
			return err
		}
		u.l, u.r = u.l[:0], u.r[:0]
		for i := at; i < min(at+block, n); i++ {
			r := int32(i)
			if !all {
				r = u.nulls.nulls[i]
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
