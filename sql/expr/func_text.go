package expr

import "gsql/sql/types"

func init() {
	bigint, text, bytes := types.T(types.Int64), types.T(types.String), types.T(types.Bytes)
	count := Fixed(bigint, text)
	Register(
		Sig{Name: FuncLength, Min: 1, Max: 1, Resolve: count},
		Sig{Name: "bit_length", Min: 1, Max: 1, Resolve: count},
		Sig{Name: FuncCharLength, Min: 1, Max: 1, Resolve: count},
		Sig{Name: FuncASCII, Min: 1, Max: 1, Resolve: count},
		Sig{Name: "ord", Min: 1, Max: 1, Resolve: count},
		Sig{Name: FuncStrcmp, Min: 2, Max: 2, Resolve: count},
		Sig{Name: FuncLocate, Min: 2, Max: 3, Resolve: Fixed(bigint, text, text, bigint)},
		Sig{Name: FuncInstr, Min: 2, Max: 2, Resolve: count},
		Sig{Name: FuncFindInSet, Min: 2, Max: 2, Resolve: count},
		Sig{Name: FuncField, Min: 2, Max: -1, Resolve: resolveField, NullAware: true},
		Sig{Name: "elt", Min: 2, Max: -1, Resolve: resolveElt, NullAware: true},

		Sig{Name: FuncUpper, Min: 1, Max: 1, Resolve: resolveText()},
		Sig{Name: FuncLower, Min: 1, Max: 1, Resolve: resolveText()},
		Sig{Name: "reverse", Min: 1, Max: 1, Resolve: resolveText()},
		Sig{Name: FuncConcat, Min: 1, Max: -1, Resolve: resolveJoined},
		Sig{Name: "concat_ws", Min: 2, Max: -1, Resolve: resolveJoined, NullAware: true},
		Sig{Name: FuncSubstring, Min: 2, Max: 3, Resolve: resolveText(bigint)},
		Sig{Name: FuncLeft, Min: 2, Max: 2, Resolve: resolveText(bigint)},
		Sig{Name: FuncRight, Min: 2, Max: 2, Resolve: resolveText(bigint)},
		Sig{Name: "substring_index", Min: 3, Max: 3, Resolve: resolveText(text, bigint)},
		Sig{Name: FuncTrim, Min: 1, Max: 2, Resolve: resolveText(text)},
		Sig{Name: FuncLTrim, Min: 1, Max: 1, Resolve: resolveText()},
		Sig{Name: FuncRTrim, Min: 1, Max: 1, Resolve: resolveText()},
		Sig{Name: FuncTrimLeading, Min: 1, Max: 2, Resolve: resolveText(text), Internal: true},
		Sig{Name: FuncTrimTrailing, Min: 1, Max: 2, Resolve: resolveText(text), Internal: true},
		Sig{Name: "lpad", Min: 3, Max: 3, Resolve: resolveText(bigint, text)},
		Sig{Name: "rpad", Min: 3, Max: 3, Resolve: resolveText(bigint, text)},
		Sig{Name: "repeat", Min: 2, Max: 2, Resolve: resolveText(bigint)},
		Sig{Name: "replace", Min: 3, Max: 3, Resolve: resolveText(text)},
		Sig{Name: FuncInsert, Min: 4, Max: 4, Resolve: resolveText(bigint, bigint, text)},
		Sig{Name: "space", Min: 1, Max: 1, Resolve: Fixed(text, bigint)},
		Sig{Name: "quote", Min: 1, Max: 1, Resolve: Fixed(text, text), NullAware: true},
		Sig{Name: "soundex", Min: 1, Max: 1, Resolve: Fixed(text, text)},
		Sig{Name: FuncFormat, Min: 2, Max: 3, Resolve: resolveFormat},
		Sig{Name: FuncChar, Min: 1, Max: -1, Resolve: Fixed(bytes, bigint), NullAware: true, Bits: true},

		Sig{Name: "unhex", Min: 1, Max: 1, Resolve: Fixed(bytes, text)},
		Sig{Name: "md5", Min: 1, Max: 1, Resolve: Fixed(text, text)},
		Sig{Name: "sha1", Min: 1, Max: 1, Resolve: Fixed(text, text)},
		Sig{Name: "sha2", Min: 2, Max: 2, Resolve: Fixed(text, text, bigint)},
		Sig{Name: "to_base64", Min: 1, Max: 1, Resolve: Fixed(text, text)},
		Sig{Name: "from_base64", Min: 1, Max: 1, Resolve: Fixed(bytes, text)},

		Sig{Name: FuncRegexpLike, Min: 2, Max: 3, Resolve: count},
		Sig{Name: FuncRegexpInstr, Min: 2, Max: 6, Resolve: Fixed(bigint, text, text, bigint, bigint, bigint, text)},
		Sig{Name: FuncRegexpSubstr, Min: 2, Max: 5, Resolve: resolveText(text, bigint, bigint, text)},
		Sig{Name: FuncRegexpReplace, Min: 3, Max: 6, Resolve: resolveText(text, text, bigint, bigint, text)},
	)
	for name, of := range map[FuncID]FuncID{
		"octet_length": FuncLength, "character_length": FuncCharLength, "ucase": FuncUpper, "lcase": FuncLower,
		"substr": FuncSubstring, "mid": FuncSubstring, "sha": "sha1",
	} {
		Alias(name, of)
	}
}

// stringOf is the unbounded string type of a value: bytes for bytes, else text.
func stringOf(t types.Type) types.Type {
	if t.ID == types.Bytes {
		return types.T(types.Bytes)
	}
	return types.T(types.String)
}

// resolveText types functions whose result is made of the first argument: bytes when that is
// of bytes, else text. rest are the types of the following arguments.
func resolveText(rest ...types.Type) Resolver {
	return func(args []Expr) ([]types.Type, types.Type, error) {
		t := stringOf(args[0].Type())
		want, _, err := Fixed(t, append([]types.Type{t}, rest...)...)(args)
		return want, t, err
	}
}

// resolveJoined types CONCAT: bytes when any argument is of bytes.
func resolveJoined(args []Expr) ([]types.Type, types.Type, error) {
	t := types.T(types.String)
	for _, a := range args {
		if a.Type().ID == types.Bytes {
			t = types.T(types.Bytes)
		}
	}
	want, _, err := Fixed(t, types.T(types.String))(args)
	return want, t, err
}

// resolveElt takes the number of one of the strings that follow.
func resolveElt(args []Expr) ([]types.Type, types.Type, error) {
	_, t, err := resolveJoined(args[1:])
	want, _, _ := Fixed(t, types.T(types.Int64), types.T(types.String))(args)
	return want, t, err
}

// resolveField compares strings as strings, exact numbers exactly, anything else as
// DOUBLE.
func resolveField(args []Expr) ([]types.Type, types.Type, error) {
	text := types.T(types.String)
	t := types.T(types.Null)
	for _, a := range args {
		switch u := a.Type(); {
		case IsNull(a):
		case u.IsString() && (t.ID == types.Null || t == text):
			t = text
		case t == text:
			t = types.T(types.Float64)
		default:
			t = CommonType(t, Number(u))
		}
	}
	if t.ID == types.Null {
		t = text
	}
	want, _, err := Fixed(t, t)(args)
	return want, types.T(types.Int64), err
}

// newField compares numbers with all digits that they carry, as IN does.
func newField(args []Expr, pos int) (Expr, error) {
	for i, a := range args {
		args[i] = Unrounded(a)
	}
	return sigs[FuncField].call(args, pos)
}

// newFormat leaves out a locale that is NULL.
func newFormat(a []Expr, pos int) (Expr, error) {
	if len(a) == 3 && IsNull(a[2]) {
		a = a[:2]
	}
	return sigs[FuncFormat].call(a, pos)
}

// resolveFormat: FORMAT rounds decimals exactly and DOUBLEs as ROUND does.
func resolveFormat(args []Expr) ([]types.Type, types.Type, error) {
	t := Number(args[0].Type())
	if !t.IsFloat() {
		t = DecimalOf(t)
	}
	want := []types.Type{t, types.T(types.Int64), types.T(types.String)}
	return want[:len(args)], types.T(types.String), nil
}
