package catalog

import (
	"fmt"
	"strconv"
	"strings"

	"gsql/sql/types"
)

// CreateTable returns the CREATE TABLE statement of the schema as SHOW CREATE TABLE shows it.
// next is the next AUTO_INCREMENT value, 0 or 1 to omit it; options follow the columns.
func (s *Schema) CreateTable(name string, next uint64, options string) string {
	var lines []string
	for _, c := range s.Visible() {
		lines = append(lines, c.definition(s.Coll))
	}
	for i := range s.Indexes {
		lines = append(lines, s.key(&s.Indexes[i]))
	}
	for i := range s.ForeignKeys {
		lines = append(lines, s.ForeignKeys[i].definition())
	}
	for _, c := range s.Checks {
		line := fmt.Sprintf("CONSTRAINT %s CHECK (%s)", QuoteName(c.Name), c.Expr)
		if c.NotEnforced {
			line += " /*!80016 NOT ENFORCED */"
		}
		lines = append(lines, line)
	}
	verb := "CREATE TABLE "
	if s.Temporary {
		verb = "CREATE TEMPORARY TABLE "
	}
	if next > 1 {
		engine, rest, _ := strings.Cut(options, " ")
		options = fmt.Sprintf("%s AUTO_INCREMENT=%d %s", engine, next, rest)
	}
	if s.Compression != DefaultCompression {
		options += " COMPRESSION=" + QuoteText(s.Compression.String())
	}
	if s.Comment != "" {
		options += " COMMENT=" + QuoteText(s.Comment)
	}
	text := verb + QuoteName(name) + " (\n  " + strings.Join(lines, ",\n  ") + strings.TrimRight("\n) "+options, " ")
	if s.Cached { // as in TiDB; there is no such option of CREATE TABLE
		text += " /* CACHED ON */"
	}
	return text
}

// definition formats the definition of a column in a table with a default collation.
func (c *Column) definition(table types.Collation) string {
	line := QuoteName(c.Name) + " " + c.DeclaredType()
	if (c.Type.ID == types.String || c.Type.HasMembers()) && c.Type.Coll != table {
		line += " CHARACTER SET utf8mb4 COLLATE " + c.Type.Coll.String()
	}
	if c.Generated != "" {
		line += " GENERATED ALWAYS AS (" + c.Generated + ") "
		if c.Stored {
			line += "STORED"
		} else {
			line += "VIRTUAL"
		}
	}
	if c.NotNull {
		line += " NOT NULL"
	} else if c.Type.ID == types.Timestamp {
		line += " NULL"
	}
	line += c.defaultClause()
	if c.OnUpdateNow {
		line += " ON UPDATE " + c.now()
	}
	if c.AutoInc {
		line += " AUTO_INCREMENT"
	}
	if c.Comment != "" {
		line += " COMMENT " + QuoteText(c.Comment)
	}
	return line
}

func (c *Column) defaultClause() string {
	switch {
	case c.Generated != "" || c.AutoInc:
		return ""
	case c.Default == nil && (c.NotNull || c.Type.IsString() && c.Type.Len == 0 && !c.Type.HasMembers()):
		return "" // MySQL omits DEFAULT NULL after TEXT, BLOB and JSON
	case c.Default == nil:
		return " DEFAULT NULL"
	case c.DefaultExpr:
		return " DEFAULT (" + *c.Default + ")"
	case c.Type.IsTemporal() && *c.Default == "CURRENT_TIMESTAMP":
		return " DEFAULT " + c.now()
	case c.Width > 0:
		return " DEFAULT " + c.DefaultText()
	}
	return " DEFAULT " + QuoteText(*c.Default)
}

// DefaultText returns the default of a column as SHOW COLUMNS shows it: its text, but b'101' for
// a BIT column.
func (c *Column) DefaultText() string {
	if n, err := strconv.ParseUint(*c.Default, 10, 64); err == nil && c.Width > 0 {
		return "b'" + strconv.FormatUint(n, 2) + "'"
	}
	return *c.Default
}

// now formats CURRENT_TIMESTAMP with the column's fractional digits.
func (c *Column) now() string {
	if c.Type.Prec > 0 {
		return fmt.Sprintf("CURRENT_TIMESTAMP(%d)", c.Type.Prec)
	}
	return "CURRENT_TIMESTAMP"
}

func (s *Schema) key(x *Index) string {
	cols := make([]string, len(x.Columns))
	for i, c := range x.Columns {
		cols[i] = QuoteName(s.Columns[c].Name)
		if x.Prefix != nil && x.Prefix[i] > 0 {
			cols[i] += fmt.Sprintf("(%d)", x.Prefix[i])
		}
	}
	kind := "KEY " + QuoteName(x.Name)
	switch {
	case x.Primary:
		kind = "PRIMARY KEY"
	case x.Unique:
		kind = "UNIQUE " + kind
	}
	line := kind + " (" + strings.Join(cols, ",") + ")"
	if x.Comment != "" {
		line += " COMMENT " + QuoteText(x.Comment)
	}
	return line
}

func (f *ForeignKey) definition() string {
	table := QuoteName(f.Table)
	if f.DB != "" {
		table = QuoteName(f.DB) + "." + table
	}
	line := fmt.Sprintf("CONSTRAINT %s FOREIGN KEY (%s) REFERENCES %s (%s)", QuoteName(f.Name), QuoteNames(f.Columns), table, QuoteNames(f.RefColumns))
	if f.OnDelete != "" && f.OnDelete != "NO ACTION" {
		line += " ON DELETE " + f.OnDelete
	}
	if f.OnUpdate != "" && f.OnUpdate != "NO ACTION" {
		line += " ON UPDATE " + f.OnUpdate
	}
	return line
}

// QuoteName quotes an identifier with backquotes.
func QuoteName(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// QuoteNames quotes a list of identifiers.
func QuoteNames(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = QuoteName(n)
	}
	return strings.Join(out, ", ")
}

// QuoteText formats s as a string literal.
func QuoteText(s string) string {
	return "'" + strings.NewReplacer("'", "''", `\`, `\\`).Replace(s) + "'"
}
