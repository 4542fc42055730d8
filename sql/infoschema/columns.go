package infoschema

import (
	"strings"
	"unicode/utf8"

	"gsql/sql/catalog"
	"gsql/sql/types"
)

// allPrivileges lists the privileges that every user has on a column.
const allPrivileges = "select,insert,update,references"

func init() {
	define(Information, "COLUMNS", `TABLE_CATALOG varchar(64), TABLE_SCHEMA varchar(64), TABLE_NAME varchar(64), COLUMN_NAME varchar(64),
		ORDINAL_POSITION int unsigned, COLUMN_DEFAULT text, IS_NULLABLE varchar(3), DATA_TYPE longtext, CHARACTER_MAXIMUM_LENGTH bigint,
		CHARACTER_OCTET_LENGTH bigint, NUMERIC_PRECISION bigint unsigned, NUMERIC_SCALE bigint unsigned, DATETIME_PRECISION int unsigned,
		CHARACTER_SET_NAME varchar(64), COLLATION_NAME varchar(64), COLUMN_TYPE mediumtext, COLUMN_KEY varchar(3), EXTRA varchar(256),
		PRIVILEGES varchar(154), COLUMN_COMMENT text, GENERATION_EXPRESSION longtext, SRS_ID int unsigned`, columns)
}

func columns(s *scan) error {
	return s.objects(func(o *object) error {
		schema := s.schema(o)
		for i := range schema.Columns {
			if !schema.Columns[i].Hidden {
				s.addColumn(o, schema, i)
			}
		}
		return nil
	})
}

func (s *scan) addColumn(o *object, schema *catalog.Schema, i int) {
	c := &schema.Columns[i]
	var def any
	if c.Default != nil {
		def = c.DefaultText()
	}
	m := measure(c)
	privileges := allPrivileges
	if Is(o.db) {
		privileges = "select"
	}
	name := columnType(c)
	s.add("def", o.db, o.name, c.Name, i+1, def, yesNo(!c.NotNull), dataType(name), m.chars, m.octets, m.precision, m.scale, m.fraction,
		m.charset, m.collation, name, columnKey(schema, i), extra(c), privileges, c.Comment, c.Generated, nil)
}

// columnType formats a column's type as SHOW COLUMNS does.
func columnType(c *catalog.Column) string { return c.DeclaredType() }

// dataType returns a column type without its parameters.
func dataType(columnType string) string {
	if i := strings.IndexAny(columnType, "( "); i >= 0 {
		return columnType[:i]
	}
	return columnType
}

func extra(c *catalog.Column) string {
	var words []string
	switch {
	case c.AutoInc:
		words = append(words, "auto_increment")
	case c.Generated != "" && c.Stored:
		words = append(words, "STORED GENERATED")
	case c.Generated != "":
		words = append(words, "VIRTUAL GENERATED")
	case c.DefaultExpr || c.Default != nil && c.Type.IsTemporal() && strings.HasPrefix(*c.Default, "CURRENT_TIMESTAMP"):
		words = append(words, "DEFAULT_GENERATED")
	}
	if c.Format != "" {
		words = append(words, c.Format)
	}
	if c.OnUpdateNow {
		words = append(words, "on update CURRENT_TIMESTAMP")
	}
	return strings.Join(words, " ")
}

// columnKey returns PRI, UNI, MUL or "" as SHOW COLUMNS does.
func columnKey(schema *catalog.Schema, col int) string {
	key := ""
	for _, ix := range schema.Indexes {
		for pos, c := range ix.Columns {
			switch {
			case c != col:
			case ix.Primary:
				return "PRI"
			case pos == 0 && ix.Unique && len(ix.Columns) == 1:
				key = "UNI"
			case pos == 0 && key == "":
				key = "MUL"
			}
		}
	}
	return key
}

// measures holds the columns of COLUMNS that depend on the type; those that do not apply are
// NULL.
type measures struct{ chars, octets, precision, scale, fraction, charset, collation any }

// digits holds the number of decimal digits of integer and float types according to MySQL.
var digits = map[types.ID]int{
	types.Bool: 3, types.Int8: 3, types.Uint8: 3, types.Int16: 5, types.Uint16: 5, types.Int32: 10, types.Uint32: 10,
	types.Int64: 19, types.Uint64: 20, types.Float32: 12, types.Float64: 22,
}

// textBytes holds the maximum lengths of MySQL's text and blob types, which gsql does not
// enforce.
var textBytes = map[string]int64{
	"tinytext": 255, "text": 65535, "mediumtext": 1<<24 - 1, "longtext": 1<<32 - 1,
	"tinyblob": 255, "blob": 65535, "mediumblob": 1<<24 - 1, "longblob": 1<<32 - 1,
}

func measure(c *catalog.Column) (m measures) {
	t := c.Type
	switch {
	case t.ID == types.JSON:
	case t.HasMembers():
		n := membersLength(t)
		m = measures{chars: n, octets: 4 * n, charset: Charset, collation: t.Coll.String()}
	case t.IsString():
		n, width := int64(t.Len), int64(1)
		if t.ID == types.String {
			m.charset, m.collation, width = Charset, t.Coll.String(), 4
		}
		m.chars, m.octets = n, n*width
		if n == 0 {
			n = textBytes[dataType(c.DeclaredType())]
			m.chars, m.octets = n, n
		}
	case t.ID == types.Decimal:
		m.precision, m.scale = int(t.Prec), int(t.Scale)
	case t.IsTemporal() && t.ID != types.Date:
		m.fraction = int(t.Prec)
	case t.IsFloat():
		m.precision = digits[t.ID]
	case c.Width > 0: // BIT
		m.precision = int(c.Width)
	case digits[t.ID] > 0:
		m.precision, m.scale = digits[t.ID], 0
	}
	return m
}

// membersLength returns the maximum number of characters of a value: for an ENUM the length of
// the longest member, for a SET that of all members joined by commas.
func membersLength(t types.Type) int64 {
	longest, all := 0, -1
	for _, m := range t.Members.Values() {
		n := utf8.RuneCountInString(m)
		longest, all = max(longest, n), all+n+1
	}
	if t.ID == types.Enum {
		return int64(longest)
	}
	return int64(max(all, 0))
}
