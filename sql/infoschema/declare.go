package infoschema

import (
	"strconv"
	"strings"

	"gsql/sql/catalog"
	"gsql/sql/types"
)

// declaredTypes holds the types, other than VARCHAR, of columns of virtual tables.
var declaredTypes = map[string]types.Type{
	"text": types.T(types.String), "mediumtext": types.T(types.String), "longtext": types.T(types.String), "json": types.T(types.JSON),
	"int": types.T(types.Int32), "int unsigned": types.T(types.Uint32),
	"bigint": types.T(types.Int64), "bigint unsigned": types.T(types.Uint64),
	"datetime": types.T(types.Datetime), "timestamp": types.T(types.Timestamp),
	"binary(0)": {ID: types.Bytes, Len: 1},
}

// declared parses a list of column names and types. All columns may be NULL.
func declared(columns string) *catalog.Schema {
	out := &catalog.Schema{}
	for c := range strings.SplitSeq(columns, ",") {
		name, text, _ := strings.Cut(strings.TrimSpace(c), " ")
		out.Columns = append(out.Columns, catalog.Column{Name: name, Type: declaredType(text)})
	}
	return out
}

func declaredType(text string) types.Type {
	if t, ok := declaredTypes[text]; ok {
		return t
	}
	digits, ok := strings.CutPrefix(text, "varchar(")
	n, err := strconv.Atoi(strings.TrimSuffix(digits, ")"))
	if !ok || err != nil {
		panic("infoschema: no such column type: " + text)
	}
	return types.Type{ID: types.String, Len: uint32(n)}
}
