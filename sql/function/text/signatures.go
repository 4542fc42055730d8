package text

import (
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/types"
)

// registerSignatures registers the signatures of the functions of texts and bytes.
func registerSignatures() {
	bigint, text, bytes := types.T(types.Int64), types.T(types.String), types.T(types.Bytes)
	count, octet := expr.Fixed(bigint, text), expr.Fixed(bytes, bytes)
	expr.Register(
		expr.Sig{Name: expr.FuncLength, Min: 1, Max: 1, Resolve: count},
		expr.Sig{Name: "bit_length", Min: 1, Max: 1, Resolve: count},
		expr.Sig{Name: expr.FuncCharLength, Min: 1, Max: 1, Resolve: count},
		expr.Sig{Name: expr.FuncASCII, Min: 1, Max: 1, Resolve: count},
		expr.Sig{Name: "ord", Min: 1, Max: 1, Resolve: count},
		expr.Sig{Name: expr.FuncStrcmp, Min: 2, Max: 2, Resolve: count, Compares: expr.FuncCollationKey},
		expr.Sig{Name: expr.FuncLocate, Min: 2, Max: 3, Resolve: expr.Fixed(bigint, text, text, bigint), Compares: expr.FuncCollationFold},
		expr.Sig{Name: expr.FuncInstr, Min: 2, Max: 2, Resolve: count, Compares: expr.FuncCollationFold},
		expr.Sig{Name: expr.FuncFindInSet, Min: 2, Max: 2, Resolve: count, Compares: expr.FuncCollationFold},
		expr.Sig{Name: expr.FuncField, Min: 2, Max: -1, Resolve: resolveField, NullAware: true, Build: newField, Compares: expr.FuncCollationKey},
		expr.Sig{Name: "elt", Min: 2, Max: -1, Resolve: resolveElt, NullAware: true},

		expr.Sig{Name: expr.FuncUpper, Min: 1, Max: 1, Resolve: expr.TextLike()},
		expr.Sig{Name: expr.FuncLower, Min: 1, Max: 1, Resolve: expr.TextLike()},
		expr.Sig{Name: "reverse", Min: 1, Max: 1, Resolve: expr.TextLike()},
		expr.Sig{Name: expr.FuncConcat, Min: 1, Max: -1, Resolve: resolveJoined},
		expr.Sig{Name: "concat_ws", Min: 2, Max: -1, Resolve: resolveJoined, NullAware: true},
		expr.Sig{Name: expr.FuncSubstring, Min: 2, Max: 3, Resolve: expr.TextLike(bigint)},
		expr.Sig{Name: expr.FuncLeft, Min: 2, Max: 2, Resolve: expr.TextLike(bigint)},
		expr.Sig{Name: expr.FuncRight, Min: 2, Max: 2, Resolve: expr.TextLike(bigint)},
		expr.Sig{Name: "substring_index", Min: 3, Max: 3, Resolve: expr.TextLike(text, bigint)},
		expr.Sig{Name: expr.FuncTrim, Min: 1, Max: 2, Resolve: expr.TextLike(text)},
		expr.Sig{Name: expr.FuncLTrim, Min: 1, Max: 1, Resolve: expr.TextLike()},
		expr.Sig{Name: expr.FuncRTrim, Min: 1, Max: 1, Resolve: expr.TextLike()},
		expr.Sig{Name: expr.FuncTrimLeading, Min: 1, Max: 2, Resolve: expr.TextLike(text), Internal: true},
		expr.Sig{Name: expr.FuncTrimTrailing, Min: 1, Max: 2, Resolve: expr.TextLike(text), Internal: true},
		expr.Sig{Name: "lpad", Min: 3, Max: 3, Resolve: expr.TextLike(bigint, text)},
		expr.Sig{Name: "rpad", Min: 3, Max: 3, Resolve: expr.TextLike(bigint, text)},
		expr.Sig{Name: "repeat", Min: 2, Max: 2, Resolve: expr.TextLike(bigint)},
		expr.Sig{Name: "replace", Min: 3, Max: 3, Resolve: expr.TextLike(text)},
		expr.Sig{Name: expr.FuncInsert, Min: 4, Max: 4, Resolve: expr.TextLike(bigint, bigint, text)},
		expr.Sig{Name: "space", Min: 1, Max: 1, Resolve: expr.Fixed(text, bigint)},
		expr.Sig{Name: "quote", Min: 1, Max: 1, Resolve: expr.Fixed(text, text), NullAware: true},
		expr.Sig{Name: "soundex", Min: 1, Max: 1, Resolve: expr.Fixed(text, text)},
		expr.Sig{Name: expr.FuncChar, Min: 1, Max: -1, Resolve: expr.Fixed(bytes, bigint), NullAware: true, Bits: true},

		expr.Sig{Name: "crc32", Min: 1, Max: 1, Resolve: expr.Fixed(types.T(types.Uint32), text)},
		expr.Sig{Name: "bin", Min: 1, Max: 1, Resolve: resolveBits, Build: inBase("bin", 2)},
		expr.Sig{Name: "oct", Min: 1, Max: 1, Resolve: resolveBits, Build: inBase("oct", 8)},
		expr.Sig{Name: "hex", Min: 1, Max: 1, Resolve: resolveHex},
		expr.Sig{Name: "conv", Min: 3, Max: 3, Resolve: expr.Fixed(text, text, bigint, bigint)},
		expr.Sig{Name: "make_set", Min: 2, Max: -1, Resolve: expr.Fixed(text, bigint, text), NullAware: true, Bits: true},
		expr.Sig{Name: "export_set", Min: 3, Max: 5, Resolve: expr.Fixed(text, bigint, text, text, text, bigint), Bits: true},
		expr.Sig{Name: "get_format", Min: 2, Max: 2, Resolve: expr.Fixed(text, expr.AsIs, text)},
		expr.Sig{Name: "format_bytes", Min: 1, Max: 1, Resolve: expr.Fixed(text, types.T(types.Float64))},
		expr.Sig{Name: "format_pico_time", Min: 1, Max: 1, Resolve: expr.Fixed(text, types.T(types.Float64))},
		expr.Sig{Name: "compress", Min: 1, Max: 1, Resolve: octet},
		expr.Sig{Name: "uncompress", Min: 1, Max: 1, Resolve: octet},
		expr.Sig{Name: "uncompressed_length", Min: 1, Max: 1, Resolve: expr.Fixed(bigint, bytes)},
		expr.Sig{Name: "random_bytes", Min: 1, Max: 1, Resolve: expr.Fixed(bytes, bigint), Volatile: true},
		expr.Sig{Name: "aes_encrypt", Min: 2, Max: 2, Resolve: octet},
		expr.Sig{Name: "aes_decrypt", Min: 2, Max: 2, Resolve: octet},
		expr.Sig{Name: "unhex", Min: 1, Max: 1, Resolve: expr.Fixed(bytes, text)},
		expr.Sig{Name: "md5", Min: 1, Max: 1, Resolve: expr.Fixed(text, text)},
		expr.Sig{Name: "sha1", Min: 1, Max: 1, Resolve: expr.Fixed(text, text)},
		expr.Sig{Name: "sha2", Min: 2, Max: 2, Resolve: expr.Fixed(text, text, bigint)},
		expr.Sig{Name: "to_base64", Min: 1, Max: 1, Resolve: expr.Fixed(text, text)},
		expr.Sig{Name: "from_base64", Min: 1, Max: 1, Resolve: expr.Fixed(bytes, text)},
	)
	for name, of := range map[expr.FuncID]expr.FuncID{
		"octet_length": expr.FuncLength, "character_length": expr.FuncCharLength, "ucase": expr.FuncUpper, "lcase": expr.FuncLower,
		"substr": expr.FuncSubstring, "mid": expr.FuncSubstring, "sha": "sha1",
	} {
		expr.Alias(name, of)
	}
}

// resolveJoined infers the type of CONCAT: bytes if any argument is bytes.
func resolveJoined(args []expr.Expr) ([]types.Type, types.Type, error) {
	t := types.T(types.String)
	for _, a := range args {
		if a.Type().ID == types.Bytes {
			t = types.T(types.Bytes)
		}
	}
	want, _, err := expr.Fixed(t, types.T(types.String))(args)
	return want, t, err
}

// resolveElt accepts a number and the strings from which it selects one.
func resolveElt(args []expr.Expr) ([]types.Type, types.Type, error) {
	_, t, err := resolveJoined(args[1:])
	want, _, _ := expr.Fixed(t, types.T(types.Int64), types.T(types.String))(args)
	return want, t, err
}

// resolveField compares strings as strings, exact numbers exactly, anything else as
// DOUBLE.
func resolveField(args []expr.Expr) ([]types.Type, types.Type, error) {
	text := types.T(types.String)
	t := types.T(types.Null)
	for _, a := range args {
		switch u := a.Type(); {
		case expr.IsNull(a):
		case u.IsString() && (t.ID == types.Null || t == text):
			t = text
		case t == text:
			t = types.T(types.Float64)
		default:
			t = expr.CommonType(t, expr.Number(u))
		}
	}
	if t.ID == types.Null {
		t = text
	}
	want, _, err := expr.Fixed(t, t)(args)
	return want, types.T(types.Int64), err
}

// newField builds FIELD, which compares numbers with all digits that they carry, as IN does.
func newField(args []expr.Expr, pos int) (expr.Expr, error) {
	for i, a := range args {
		args[i] = expr.Unrounded(a)
	}
	return expr.Lookup(expr.FuncField).Call(args, pos)
}

// resolveBits accepts an integer, whose 64 bits the function reads.
func resolveBits(args []expr.Expr) ([]types.Type, types.Type, error) {
	if args[0].Type().IsUnsigned() {
		return []types.Type{types.T(types.Uint64)}, types.T(types.String), nil
	}
	return []types.Type{types.T(types.Int64)}, types.T(types.String), nil
}

// inBase builds calls of BIN and OCT. Arguments other than integers are read as CONV reads texts.
func inBase(fn expr.FuncID, base int64) func(args []expr.Expr, pos int) (expr.Expr, error) {
	return func(args []expr.Expr, pos int) (expr.Expr, error) {
		if t := args[0].Type(); t.IsInteger() || t.ID == types.Null {
			return expr.Lookup(fn).Call(args, pos)
		}
		number := func(n int64) expr.Expr { return &expr.Const{Value: catalog.Int(n)} }
		return expr.NewCall("conv", []expr.Expr{args[0], number(10), number(base)}, pos)
	}
}

// resolveHex infers the type of HEX, which formats the bytes of strings and the bits of numbers. It
// rounds doubles and decimals.
func resolveHex(args []expr.Expr) ([]types.Type, types.Type, error) {
	text := types.T(types.String)
	switch t := args[0].Type(); {
	case !t.IsNumeric():
		return []types.Type{text}, text, nil
	case t.IsFloat() || t.ID == types.Decimal:
		return []types.Type{types.T(types.Float64)}, text, nil
	}
	return resolveBits(args)
}
