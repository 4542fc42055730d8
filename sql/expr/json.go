package expr

import (
	"fmt"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

var jsonType = types.T(types.JSON)

// JSONDocument converts e, argument i of function fn, to JSON; it parses text. It returns error
// 3146 if the type is neither JSON nor text, and 3144 for a binary string.
func JSONDocument(fn FuncID, e Expr, i int) (Expr, error) {
	where := fmt.Sprintf("argument %d to function %s", i+1, fn)
	switch t := e.Type(); t.ID {
	case types.JSON:
		return e, nil
	case types.Null:
		return Cast(e, jsonType), nil
	case types.String:
		return NewCall(FuncJSONDoc, []Expr{e, &Const{Value: catalog.Str(where)}}, -1)
	case types.Bytes:
		return nil, binaryJSON()
	}
	return nil, sqlerr.New(sqlerr.InvalidTypeForJSON, "Invalid data type for JSON data in %s; a JSON string or JSON type is required.", where)
}

func binaryJSON() error {
	return sqlerr.New(sqlerr.InvalidJSONCharset, "Cannot create a JSON value from a string with CHARACTER SET 'binary'.")
}

// conditions are the operators whose results are truth values.
var conditions = map[FuncID]bool{
	FuncEQ: true, FuncNE: true, FuncLT: true, FuncLE: true, FuncGT: true, FuncGE: true, FuncNullSafeEQ: true, FuncAnd: true, FuncOr: true, FuncXor: true,
	FuncNot: true, FuncIsNull: true, FuncIn: true, FuncLike: true, FuncRegexp: true,
}

func isCondition(e Expr) bool {
	switch e := e.(type) {
	case *Call:
		return conditions[e.Fn]
	case *Subquery:
		return e.Kind != Scalar
	}
	return e.Type().ID == types.Bool
}

// JSONOf converts a value of any type to the corresponding JSON value: text becomes a string,
// conditions become true and false. NULL stays NULL.
func JSONOf(e Expr) (Expr, error) {
	t := e.Type()
	switch {
	case t.ID == types.JSON:
		return e, nil
	case t.ID == types.String:
		return NewCall(FuncJSONString, []Expr{e}, -1)
	case t.ID == types.Bytes:
		return nil, binaryJSON()
	case isCondition(e):
		return NewCall(FuncJSONBool, []Expr{e}, -1)
	}
	return Cast(e, jsonType), nil
}

// arrayElement returns e as an element of an array, where NULL is null.
func arrayElement(e Expr) (Expr, error) {
	e, err := JSONOf(e)
	if err != nil {
		return nil, err
	}
	null := &Const{Value: catalog.Datum{Type: jsonType, Str: "null"}}
	return NewCall(FuncCoalesce, []Expr{e, null}, -1)
}

// Sortable returns the expression by which rows are sorted if e is a sort key: the key of a JSON
// value (see json.AppendKey), the number of an ENUM or SET, the collation key of a text whose
// collation is not binary, or e itself.
func Sortable(e Expr) Expr {
	if e.Type().ID != types.JSON {
		e = Shown(e)
		if key, err := CollationKey(e); err == nil {
			e = key
		}
		return MemberNumber(e)
	}
	return &Call{Fn: FuncJSONKey, Args: []Expr{e}, T: types.T(types.Bytes), Pos: -1}
}

// compareJSON replaces both operands of a comparison by keys of JSON values.
func compareJSON(args []Expr) (err error) {
	for i, a := range args {
		if IsNull(a) {
			args[i] = Cast(a, types.T(types.Bytes))
			continue
		}
		if args[i], err = JSONOf(a); err != nil {
			return err
		}
		args[i] = Sortable(args[i])
	}
	return nil
}

func anyJSON(args []Expr) bool {
	for _, a := range args {
		if a.Type().ID == types.JSON {
			return true
		}
	}
	return false
}
