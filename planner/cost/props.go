package cost

import (
	"math"

	"gsql/planner/logical"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// Props is the estimate of an intermediate result. Columns are looked up in the operators below
// on demand, so that making a Props is cheap.
type Props struct {
	Rows     float64
	own      []ownColumn   // columns that this operator made or refined
	scan     *logical.Scan // leaf: statistics come from the table
	looks    *looks        // of a leaf
	in       [2]*Props     // columns not in own come from these
	padded   [2]float64    // shares of rows in which the columns of in[0] and in[1] are NULL padding
	unmet    [2]float64    // shares of the rows of in[0] and in[1] that a join drops, judging by single keys
	ordered  bool          // in[0]'s order is preserved
	reviewed *reviewed     // the rows that the predicates of a scan keep; nil if they are not reviewed
}

type ownColumn struct {
	id  expr.ColID
	col Column
}

// Column is the estimate of a column's values within a Props.
type Column struct {
	Type types.Type
	NDV  float64 // distinct values, NULL not counted, at least 1
	// Domain is the number of distinct values from which these are drawn: those present before
	// rows were dropped by predicates on other columns, which do not change the likelihood of a
	// value.
	Domain  float64
	Null    float64 // share of NULLs
	Lo, Hi  float64 // bounds as Datum.Float returns them, when Bounded
	Bounded bool
	Width   float64 // bytes per value
	Sorted  bool    // ascending in row order
	hist    *catalog.Histogram
	mcv     []catalog.ValueCount
	base    float64       // rows of the table that hist and mcv describe
	whole   float64       // Domain in that table
	scan    *logical.Scan // for an unmodified table column: where it is read
	ordinal int           // in that table
	looks   *looks        // nil unless the rows are the table's, possibly with some dropped or repeated
	// beside is the column whose next or previous values this one holds, in the order of that
	// column within parts partitions; 0: none.
	beside expr.ColID
	parts  float64
	// unmet is the share of the values of a table's key that joins have dropped; 0 for other columns.
	unmet float64
	// grouped describes an aggregate's values; nil for other columns.
	grouped  *grouped
	reviewed *reviewed // for an unmodified column of a filtered scan; nil if its rows are not reviewed
}

// Assumptions in the absence of statistics.
const (
	defaultRows   = 1000 // rows of a table without statistics
	defaultNDV    = 0.1  // distinct values as a share of rows
	defaultStrLen = 16   // bytes of a string
)

// Col returns the estimate of a column, and whether the result has the column.
func (p *Props) Col(id expr.ColID) (c Column, ok bool) {
	ok = p.describe(id, &c)
	return c, ok
}

// describe is Col into *c, because estimates are large and pass through many operators.
func (p *Props) describe(id expr.ColID, c *Column) bool {
	if own := p.ownColumn(id); own != nil {
		*c = *own
		c.Domain = max(c.Domain, c.NDV)
		c.NDV = max(1, min(c.NDV, p.Rows))
		if p.reviewed != nil {
			c.reviewed = p.reviewed
		}
		return true
	}
	for i, in := range p.in {
		if in == nil || !in.describe(id, c) {
			continue
		}
		c.Sorted = c.Sorted && p.ordered
		rows := p.Rows
		if unmet := p.unmet[i]; unmet > 0 && c.scan != nil && c.whole >= nearly*c.base {
			rows = min(rows, (1-unmet)*in.Rows)
			c.unmet += (1 - c.unmet) * unmet
		}
		c.NDV = thin(c.NDV, in.Rows, rows)
		if padded := p.padded[i]; padded > 0 {
			c.Null = padded + (1-padded)*c.Null
			c.Sorted, c.looks = false, nil
		}
		if p.reviewed != nil {
			c.reviewed = p.reviewed
		}
		return true
	}
	return false
}

// ownColumn returns the estimate of a column that this operator made, refined or read from a table,
// or nil. The pointer is valid until the next call.
func (p *Props) ownColumn(id expr.ColID) *Column {
	for i := range p.own {
		if p.own[i].id == id {
			return &p.own[i].col
		}
	}
	if p.scan == nil {
		return nil
	}
	for i := range p.scan.Columns {
		if p.scan.Columns[i].ID == id {
			c := tableColumn(p.scan.Table, p.scan.Ordinals[i], p.scan.Columns[i].T)
			c.scan = p.scan
			if c.ordinal != catalog.RowID {
				c.looks = p.looks
			}
			p.own = append(p.own, ownColumn{id, c})
			return &p.own[len(p.own)-1].col
		}
	}
	return nil
}

// tableColumnOf returns the estimate, in the table, of a column whose values are those of a table that
// has sample rows, or nil.
func (p *Props) tableColumnOf(id expr.ColID) *Column {
	if own := p.ownColumn(id); own != nil {
		if own.looks == nil {
			return nil
		}
		return own
	}
	for i, in := range p.in {
		if in == nil {
			continue
		}
		if c := in.tableColumnOf(id); c != nil && p.padded[i] == 0 {
			return c
		}
	}
	return nil
}

// thin returns the distinct values expected when m of n rows are kept, each with the same
// probability (Yao 1977, in the form for large blocks).
func thin(ndv, n, m float64) float64 {
	if m >= n || ndv <= 1 {
		return max(1, min(ndv, max(m, 1)))
	}
	kept := ndv * (1 - math.Pow(1-m/n, n/ndv))
	return max(1, min(kept, m))
}

// TableRows returns the rows of a table, or an assumption if they are unknown.
func TableRows(t catalog.Table) float64 {
	st := t.Stats()
	if st.Rows == 0 && !st.Exact {
		return defaultRows
	}
	return float64(st.Rows)
}

func tableColumn(t catalog.Table, ordinal int, typ types.Type) Column {
	rows := TableRows(t)
	c := Column{Type: typ, Width: TypeWidth(typ), NDV: max(1, min(rows, max(10, rows*defaultNDV))), base: rows, ordinal: ordinal}
	if ordinal == catalog.RowID {
		c.NDV, c.Lo, c.Hi, c.Bounded, c.Sorted = max(1, rows), 0, rows, true, true
		return c
	}
	st := t.Stats()
	if isKey(t.Schema(), ordinal) {
		c.NDV = max(1, rows)
	}
	c.Domain, c.whole = c.NDV, c.NDV
	if ordinal >= len(st.Columns) || rows == 0 {
		return c
	}
	cs := &st.Columns[ordinal]
	if cs.NDV > 0 {
		c.NDV = min(float64(cs.NDV), rows)
	}
	c.Null = min(1, float64(cs.Nulls)/rows)
	if cs.Min != nil && cs.Max != nil && !cs.Min.Null && !cs.Max.Null {
		c.Lo, c.Hi, c.Bounded = cs.Min.Float(), cs.Max.Float(), true
	}
	if cs.AvgLen > 0 && typ.IsString() {
		c.Width = 16 + cs.AvgLen
	}
	c.hist, c.mcv, c.Sorted = cs.Hist, cs.MCV, cs.Sorted
	c.Domain, c.whole = c.NDV, c.NDV
	return c
}

// isKey reports whether the column alone is declared unique.
func isKey(s *catalog.Schema, ordinal int) bool {
	for i := range s.Indexes {
		ix := &s.Indexes[i]
		if (ix.Unique || ix.Primary) && len(ix.Columns) == 1 && ix.Columns[0] == ordinal {
			return true
		}
	}
	return false
}

// TypeWidth returns the bytes that a value of a type takes in memory, assuming a length if it
// varies.
func TypeWidth(t types.Type) float64 {
	switch t.Kind() {
	case types.KindDec:
		return 16
	case types.KindStr:
		return 16 + defaultStrLen
	}
	return 8
}

// set records the estimate of a column.
func (p *Props) set(id expr.ColID, c Column) {
	for i := range p.own {
		if p.own[i].id == id {
			p.own[i].col = c
			return
		}
	}
	p.own = append(p.own, ownColumn{id, c})
}

// NDV returns the number of distinct values of an expression: the product of those of its
// columns, at most the number of rows.
func (p *Props) NDV(e expr.Expr) float64 {
	if c, ok := e.(*expr.Col); ok {
		return p.colNDV(c)
	}
	n, folds := 1.0, false
	expr.Walk(e, func(e expr.Expr) bool {
		switch x := e.(type) {
		case *expr.Col:
			n *= p.colNDV(x)
		case *expr.Call:
			folds = folds || !mostlyInjective(x.Fn)
		}
		return true
	})
	if folds {
		n = min(n, p.foldedNDV(e))
	}
	return max(1, min(n, p.Rows))
}

// defaultFolded is the assumed number of distinct results of a function that maps many values to
// one, such as SUBSTRING or MOD: an equality with its result keeps one row in defaultFolded.
const defaultFolded = 200

// mostlyInjective reports whether a function returns about as many distinct values as it takes.
func mostlyInjective(fn expr.FuncID) bool {
	switch fn {
	case expr.FuncAdd, expr.FuncSub, expr.FuncMul, expr.FuncDiv, expr.FuncNeg, expr.FuncCast, expr.FuncCollationKey, expr.FuncConcat, expr.FuncLower, expr.FuncUpper, expr.FuncDateAdd, expr.FuncDateSub, expr.FuncCoalesce, expr.FuncIfNull:
		return true
	}
	return false
}

func (p *Props) colNDV(c *expr.Col) float64 {
	if col, ok := p.Col(c.ID); ok {
		return col.NDV
	}
	return 1
}

// nullShare returns the share of rows in which e is NULL because one of its columns is.
func (p *Props) nullShare(e expr.Expr) float64 {
	notNull := 1.0
	expr.Walk(e, func(e expr.Expr) bool {
		if c, ok := e.(*expr.Col); ok {
			if col, ok := p.Col(c.ID); ok {
				notNull *= 1 - col.Null
			}
		}
		return true
	})
	return 1 - notNull
}

// NullShare estimates the share of the rows in which at least one of some expressions is NULL.
func (p *Props) NullShare(list ...expr.Expr) float64 {
	known := 1.0
	for _, e := range list {
		known *= 1 - p.nullShare(e)
	}
	return 1 - known
}
