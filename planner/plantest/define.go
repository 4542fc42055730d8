package plantest

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/catalog"
	"gsql/sql/types"
)

// Define adds the objects that the text describes, line by line. It ignores empty lines and lines
// that start with #:
//
//	table orders rows=1500000
//	  id     bigint primary ndv=1500000 min=1 max=6000000
//	  cust   bigint not null ndv=100000
//	  price  decimal(15,2) nulls=12 min=1.50 max=900.00
//	  day    date min=1992-01-01 max=1998-08-02 sorted
//	  unique(cust, day)
//	view v = SELECT id FROM orders
//
// Columns of primary keys are NOT NULL. The table finds rows by the columns marked found without
// a scan. Without rows= the contents are unknown.
func (c *Catalog) Define(text string) error {
	var t *Table
	for i, line := range strings.Split(text, "\n") {
		f := strings.Fields(line)
		if len(f) == 0 || strings.HasPrefix(f[0], "#") {
			continue
		}
		var err error
		switch {
		case f[0] == "table":
			t, err = newTable(f[1:])
			if err == nil {
				c.Add(t)
			}
		case f[0] == "view":
			name, sql, ok := strings.Cut(strings.TrimSpace(strings.TrimSpace(line)[len("view"):]), "=")
			if !ok {
				err = fmt.Errorf("a view wants name = SELECT")
			}
			c.AddView(strings.TrimSpace(name), strings.TrimSpace(sql))
		case t == nil:
			err = fmt.Errorf("no table yet")
		case strings.HasPrefix(line, "unique(") || strings.HasPrefix(f[0], "unique(") || strings.HasPrefix(f[0], "primary("):
			err = t.addKey(strings.Join(f, ""))
		default:
			err = t.addColumn(f)
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return nil
}

// MustDefine combines New and Define for tests; it panics on an error in text.
func MustDefine(text string) *Catalog {
	c := New()
	if err := c.Define(text); err != nil {
		panic(err)
	}
	return c
}

func newTable(f []string) (*Table, error) {
	if len(f) == 0 {
		return nil, fmt.Errorf("a table wants a name")
	}
	t := &Table{TableName: f[0]}
	for _, w := range f[1:] {
		n, err := strconv.ParseInt(strings.TrimPrefix(w, "rows="), 10, 64)
		if err != nil {
			return nil, err
		}
		t.Statistics.Rows, t.Statistics.Exact = n, true
	}
	return t, nil
}

func (t *Table) addKey(text string) error {
	kind, list, _ := strings.Cut(strings.TrimSuffix(text, ")"), "(")
	ix := catalog.Index{Name: strings.ReplaceAll(list, ",", "_"), Unique: true, Primary: kind == "primary"}
	for _, name := range strings.Split(list, ",") {
		o := t.Shape.Ordinal(name)
		if o < 0 {
			return fmt.Errorf("no column %s", name)
		}
		ix.Columns = append(ix.Columns, o)
		if ix.Primary {
			t.Shape.Columns[o].NotNull = true
		}
	}
	t.Shape.Indexes = append(t.Shape.Indexes, ix)
	return nil
}

func (t *Table) addColumn(f []string) error {
	if len(f) < 2 {
		return fmt.Errorf("a column wants a name and a type")
	}
	typ, err := parseType(f[1])
	if err != nil {
		return err
	}
	o := len(t.Shape.Columns)
	t.Shape.Columns = append(t.Shape.Columns, catalog.Column{Name: f[0], Type: typ})
	t.Statistics.Columns = append(t.Statistics.Columns, catalog.ColumnStats{})
	col, st := &t.Shape.Columns[o], &t.Statistics.Columns[o]
	for _, w := range f[2:] {
		word, value, _ := strings.Cut(w, "=")
		var err error
		switch word {
		case "not":
		case "null":
			col.NotNull = true
		case "primary", "unique":
			err = t.addKey(word + "(" + f[0] + ")")
		case "found":
			t.Found = append(t.Found, len(t.Shape.Columns)-1)
		case "auto_increment":
			col.AutoInc = true
		case "sorted":
			st.Sorted = true
		case "ndv":
			st.NDV, err = strconv.ParseInt(value, 10, 64)
		case "nulls":
			st.Nulls, err = strconv.ParseInt(value, 10, 64)
		case "min":
			st.Min, err = parseValue(value, typ)
		case "max":
			st.Max, err = parseValue(value, typ)
		case "default":
			col.Default = &value
		default:
			err = fmt.Errorf("unknown word %s", w)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var typeNames = map[string]types.ID{
	"tinyint": types.Int8, "smallint": types.Int16, "int": types.Int32, "bigint": types.Int64, "ubigint": types.Uint64, "uint": types.Uint32,
	"float": types.Float32, "double": types.Float64, "decimal": types.Decimal, "varchar": types.String, "text": types.String, "blob": types.Bytes,
	"date": types.Date, "datetime": types.Datetime, "timestamp": types.Timestamp, "time": types.Time, "year": types.Year, "bool": types.Bool,
}

// parseType parses a type in MySQL's spelling; ubigint and uint are the unsigned ones.
func parseType(s string) (types.Type, error) {
	name, args, _ := strings.Cut(strings.TrimSuffix(strings.ToLower(s), ")"), "(")
	id, ok := typeNames[name]
	if !ok {
		return types.Type{}, fmt.Errorf("unknown type %s", s)
	}
	a, b, _ := strings.Cut(args, ",")
	n, _ := strconv.Atoi(a)
	m, _ := strconv.Atoi(b)
	switch {
	case id == types.Decimal:
		return types.Dec(n, m), nil
	case id == types.String || id == types.Bytes:
		return types.Type{ID: id, Len: uint32(n)}, nil
	}
	return types.Type{ID: id, Prec: uint8(n)}, nil
}

func parseValue(s string, t types.Type) (*catalog.Datum, error) {
	d := &catalog.Datum{Type: t}
	var err error
	switch t.Kind() {
	case types.KindF64:
		d.F64, err = strconv.ParseFloat(s, 64)
	case types.KindDec:
		var f float64
		f, err = strconv.ParseFloat(s, 64)
		d.Dec = decimal128.FromI64(int64(math.Round(f * math.Pow10(int(t.Scale)))))
	case types.KindStr:
		d.Str = s
	default:
		d.I64, err = parseInteger(s, t)
	}
	return d, err
}

func parseInteger(s string, t types.Type) (int64, error) {
	layout := map[types.ID]string{types.Date: time.DateOnly, types.Datetime: "2006-01-02T15:04:05", types.Timestamp: "2006-01-02T15:04:05"}[t.ID]
	if layout == "" {
		return strconv.ParseInt(s, 10, 64)
	}
	at, err := time.Parse(layout, s)
	if t.ID == types.Date {
		return at.Unix() / 86400, err
	}
	return at.UnixMicro(), err
}
