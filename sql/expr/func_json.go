package expr

import (
	"fmt"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

var jsonType = types.T(types.JSON)

func init() {
	bigint, text := types.T(types.Int64), types.T(types.String)
	one, two, all := jsonDocuments(1), jsonDocuments(2), func(int) jsonRole { return jsonDocument }
	Register(
		jsonSig("json_array", 0, -1, jsonType, func(int) jsonRole { return jsonValue }).nullAware(),
		jsonSig("json_object", 0, -1, jsonType, jsonMembers).nullAware().pairsAfter(0),
		jsonSig("json_type", 1, 1, text, one),
		jsonSig("json_depth", 1, 1, bigint, one),
		jsonSig("json_pretty", 1, 1, text, one),
		jsonSig("json_length", 1, 2, bigint, one),
		jsonSig("json_keys", 1, 2, jsonType, one),
		jsonSig("json_extract", 2, -1, jsonType, one),
		jsonSig("json_value", 2, 2, text, one),
		jsonSig("json_contains", 2, 3, bigint, two),
		jsonSig("json_contains_path", 3, -1, bigint, one),
		jsonSig("json_overlaps", 2, 2, bigint, two),
		jsonSig("json_search", 3, -1, jsonType, one).nullAware(),
		jsonSig("json_remove", 2, -1, jsonType, one),
		jsonSig("json_merge_patch", 2, -1, jsonType, all).nullAware(),
		jsonSig("json_merge_preserve", 2, -1, jsonType, all),
		jsonSig("json_set", 3, -1, jsonType, jsonChanges).nullAware().pairsAfter(1),
		jsonSig("json_insert", 3, -1, jsonType, jsonChanges).nullAware().pairsAfter(1),
		jsonSig("json_replace", 3, -1, jsonType, jsonChanges).nullAware().pairsAfter(1),
		jsonSig("json_array_append", 3, -1, jsonType, jsonChanges).nullAware().pairsAfter(1),
		jsonSig("json_array_insert", 3, -1, jsonType, jsonChanges).nullAware().pairsAfter(1),
		Sig{Name: "json_quote", Min: 1, Max: 1, Resolve: Fixed(text, text)},
		Sig{Name: "json_unquote", Min: 1, Max: 1, Resolve: resolveUnquote},
		Sig{Name: "json_valid", Min: 1, Max: 1, Resolve: Fixed(bigint, AsIs)},
	)
	Register(
		jsonSig(FuncMemberOf, 2, 2, bigint, jsonMemberOf).internal(),
		jsonSig(FuncJSONPair, 2, 2, jsonType, jsonMembers).nullAware().internal(),
		Sig{Name: FuncJSONDoc, Min: 2, Max: 2, Resolve: Fixed(jsonType, AsIs), Internal: true},
		Sig{Name: FuncJSONString, Min: 1, Max: 1, Resolve: Fixed(jsonType, text), Internal: true},
		Sig{Name: FuncJSONBool, Min: 1, Max: 1, Resolve: Fixed(jsonType, bigint), Internal: true},
		Sig{Name: FuncJSONKey, Min: 1, Max: 1, Resolve: Fixed(types.T(types.Bytes), AsIs), Internal: true},
	)
	Alias("json_merge", "json_merge_preserve")
}

// jsonRole says what an argument of a JSON function is.
type jsonRole uint8

const (
	jsonText     jsonRole = iota // a path or other text
	jsonDocument                 // JSON, or text that is read as JSON
	jsonValue                    // anything, which becomes a JSON value
)

// jsonDocuments are n documents and then texts.
func jsonDocuments(n int) func(int) jsonRole {
	return func(i int) jsonRole {
		if i < n {
			return jsonDocument
		}
		return jsonText
	}
}

// jsonMembers are names and values in turn.
func jsonMembers(i int) jsonRole { return [...]jsonRole{jsonText, jsonValue}[i%2] }

// jsonChanges are a document and then paths and values in turn.
func jsonChanges(i int) jsonRole {
	if i == 0 {
		return jsonDocument
	}
	return [...]jsonRole{jsonValue, jsonText}[i%2]
}

func jsonMemberOf(i int) jsonRole { return [...]jsonRole{jsonValue, jsonDocument}[i] }

// jsonSig makes the signature of a strict function whose arguments are converted by
// their roles.
func jsonSig(name FuncID, lo, hi int, result types.Type, role func(i int) jsonRole) Sig {
	resolve := func(args []Expr) (_ []types.Type, _ types.Type, err error) {
		want := make([]types.Type, len(args))
		for i, a := range args {
			switch want[i] = AsIs; role(i) {
			case jsonText:
				want[i] = types.T(types.String)
			case jsonDocument:
				args[i], err = document(name, a, i)
			case jsonValue:
				args[i], err = JSONOf(a)
			}
			if err != nil {
				return nil, result, err
			}
		}
		return want, result, nil
	}
	return Sig{Name: name, Min: lo, Max: hi, Resolve: resolve}
}

func (s Sig) nullAware() Sig {
	s.NullAware = true
	return s
}

// pairsAfter refuses calls whose arguments behind the first n are no pairs.
func (s Sig) pairsAfter(n int) Sig {
	resolve := s.Resolve
	s.Resolve = func(args []Expr) ([]types.Type, types.Type, error) {
		if (len(args)-n)%2 != 0 {
			return nil, types.Type{}, wrongCount(&s, len(args), -1)
		}
		return resolve(args)
	}
	return s
}

func (s Sig) internal() Sig {
	s.Internal = true
	return s
}

// document makes e, argument i of a function, the JSON that it is or spells.
func document(fn FuncID, e Expr, i int) (Expr, error) {
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

// JSONOf makes a value of any type the JSON value it stands for: text a string,
// conditions true and false. NULL stays NULL.
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

// resolveUnquote takes JSON, or text that may be a quoted string.
func resolveUnquote(args []Expr) ([]types.Type, types.Type, error) {
	text := types.T(types.String)
	if args[0].Type().ID == types.JSON {
		return []types.Type{AsIs}, text, nil
	}
	return []types.Type{text}, text, nil
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

// Sortable returns what rows are to be sorted by where e is a sort key: the key of a
// JSON value (see json.AppendKey), the number of an ENUM or SET, the key of a text in its
// collation, where it has one, anything else itself.
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

// compareJSON makes both operands of a comparison keys of JSON values.
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
