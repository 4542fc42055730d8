package json

import (
	"gsql/sql/expr"
	"gsql/sql/types"
)

// registerSignatures registers the signatures of the functions of JSON.
func registerSignatures() {
	jsonType := types.T(types.JSON)
	bigint, text := types.T(types.Int64), types.T(types.String)
	one, two, all := jsonDocuments(1), jsonDocuments(2), func(int) jsonRole { return jsonDocument }
	expr.Register(
		nullAware(jsonSig("json_array", 0, -1, jsonType, func(int) jsonRole { return jsonValue })),
		pairsAfter(nullAware(jsonSig("json_object", 0, -1, jsonType, jsonMembers)), 0),
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
		nullAware(jsonSig("json_search", 3, -1, jsonType, one)),
		jsonSig("json_remove", 2, -1, jsonType, one),
		nullAware(jsonSig("json_merge_patch", 2, -1, jsonType, all)),
		jsonSig("json_merge_preserve", 2, -1, jsonType, all),
		pairsAfter(nullAware(jsonSig("json_set", 3, -1, jsonType, jsonChanges)), 1),
		pairsAfter(nullAware(jsonSig("json_insert", 3, -1, jsonType, jsonChanges)), 1),
		pairsAfter(nullAware(jsonSig("json_replace", 3, -1, jsonType, jsonChanges)), 1),
		pairsAfter(nullAware(jsonSig("json_array_append", 3, -1, jsonType, jsonChanges)), 1),
		pairsAfter(nullAware(jsonSig("json_array_insert", 3, -1, jsonType, jsonChanges)), 1),
		expr.Sig{Name: "json_quote", Min: 1, Max: 1, Resolve: expr.Fixed(text, text)},
		expr.Sig{Name: "json_unquote", Min: 1, Max: 1, Resolve: resolveUnquote},
		expr.Sig{Name: "json_valid", Min: 1, Max: 1, Resolve: expr.Fixed(bigint, expr.AsIs)},
	)
	expr.Register(
		internal(jsonSig(expr.FuncMemberOf, 2, 2, bigint, jsonMemberOf)),
		internal(nullAware(jsonSig(expr.FuncJSONPair, 2, 2, jsonType, jsonMembers))),
		expr.Sig{Name: expr.FuncJSONDoc, Min: 2, Max: 2, Resolve: expr.Fixed(jsonType, expr.AsIs), Internal: true},
		expr.Sig{Name: expr.FuncJSONString, Min: 1, Max: 1, Resolve: expr.Fixed(jsonType, text), Internal: true},
		expr.Sig{Name: expr.FuncJSONBool, Min: 1, Max: 1, Resolve: expr.Fixed(jsonType, bigint), Internal: true},
		expr.Sig{Name: expr.FuncJSONKey, Min: 1, Max: 1, Resolve: expr.Fixed(types.T(types.Bytes), expr.AsIs), Internal: true},
	)
	expr.Alias("json_merge", "json_merge_preserve")
}

// jsonRole is the role of an argument of a JSON function.
type jsonRole uint8

const (
	jsonText     jsonRole = iota // a path or other text
	jsonDocument                 // JSON, or text that is parsed as JSON
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

// jsonMembers are alternately names and values.
func jsonMembers(i int) jsonRole { return [...]jsonRole{jsonText, jsonValue}[i%2] }

// jsonChanges are a document, then alternately paths and values.
func jsonChanges(i int) jsonRole {
	if i == 0 {
		return jsonDocument
	}
	return [...]jsonRole{jsonValue, jsonText}[i%2]
}

func jsonMemberOf(i int) jsonRole { return [...]jsonRole{jsonValue, jsonDocument}[i] }

// jsonSig returns the signature of a strict function whose arguments are converted according to
// their roles.
func jsonSig(name expr.FuncID, lo, hi int, result types.Type, role func(i int) jsonRole) expr.Sig {
	resolve := func(args []expr.Expr) (_ []types.Type, _ types.Type, err error) {
		want := make([]types.Type, len(args))
		for i, a := range args {
			switch want[i] = expr.AsIs; role(i) {
			case jsonText:
				want[i] = types.T(types.String)
			case jsonDocument:
				args[i], err = expr.JSONDocument(name, a, i)
			case jsonValue:
				args[i], err = expr.JSONOf(a)
			}
			if err != nil {
				return nil, result, err
			}
		}
		return want, result, nil
	}
	return expr.Sig{Name: name, Min: lo, Max: hi, Resolve: resolve}
}

func nullAware(s expr.Sig) expr.Sig {
	s.NullAware = true
	return s
}

// pairsAfter rejects calls whose arguments after the first n do not form pairs.
func pairsAfter(s expr.Sig, n int) expr.Sig {
	resolve := s.Resolve
	s.Resolve = func(args []expr.Expr) ([]types.Type, types.Type, error) {
		if (len(args)-n)%2 != 0 {
			return nil, types.Type{}, s.WrongCount(len(args), -1)
		}
		return resolve(args)
	}
	return s
}

func internal(s expr.Sig) expr.Sig {
	s.Internal = true
	return s
}

// resolveUnquote accepts JSON, or text that may be a quoted string.
func resolveUnquote(args []expr.Expr) ([]types.Type, types.Type, error) {
	text := types.T(types.String)
	if args[0].Type().ID == types.JSON {
		return []types.Type{expr.AsIs}, text, nil
	}
	return []types.Type{text}, text, nil
}
