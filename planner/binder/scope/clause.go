package scope

import "gsql/sql/sqlerr"

// Clause is the clause that contains an expression. Its value is MySQL's name for it in messages.
type Clause string

// The clauses of a query block.
const (
	FieldList  Clause = "field list"
	FromClause Clause = "from clause"
	OnClause   Clause = "on clause"
	Where      Clause = "where clause"
	GroupBy    Clause = "group statement"
	Having     Clause = "having clause"
	OrderBy    Clause = "order clause"

	WindowPartition Clause = "window partition by"
	WindowOrder     Clause = "window order by"
)

// Ambiguous returns error 1052 for a name shared by several columns.
func Ambiguous(name string, at Clause, pos int) error {
	return sqlerr.New(sqlerr.NonUniq, "Column '%s' in %s is ambiguous", name, at).At(pos).
		WithHint("Qualify the column with a table name or alias, as in t.%s.", name)
}
