package statement

import "gsql/sql/sqlerr"

// Limits on the size of one statement.
const (
	maxDepth = 10000 // nested operators of an expression
	maxExprs = 50000 // expressions beyond those that the text may spell out

	// exprsPerByte exceeds the number of expressions that one byte of text can spell, even if
	// operands are bound once for each of several comparisons.
	exprsPerByte = 8
)

// Deeper counts one more level of nesting and one more expression. Too many are error 1436: BETWEEN and others
// bind an operand twice, so nesting them doubles the number of expressions each time.
func (s *Statement) Deeper() error {
	if s.Shared.Exprs++; s.Shared.Exprs > s.Shared.room {
		return sqlerr.New(sqlerr.StackOverrun, "Thread stack overrun: the statement stands for more than %d expressions", s.Shared.room).
			WithHint("BETWEEN, CASE x WHEN, NULLIF and comparisons of rows repeat their operands; compute nested ones in a derived table.")
	}
	if s.Shared.depth++; s.Shared.depth > maxDepth {
		s.Shared.depth--
		return sqlerr.New(sqlerr.StackOverrun, "Thread stack overrun: expressions are nested more than %d deep", maxDepth)
	}
	return nil
}

// Shallower ends a level of nesting that Deeper began.
func (s *Statement) Shallower() { s.Shared.depth-- }
