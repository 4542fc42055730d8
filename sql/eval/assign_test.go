package eval

import (
	"fmt"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

func TestAssignIsStrict(t *testing.T) {
	for _, c := range []struct {
		value string
		to    types.Type
		want  string
	}{
		{"'abc'", types.T(types.Int32), "error 1366"},
		{"'12abc'", types.T(types.Int32), "error 1265"},
		{"' 12 '", types.T(types.Int32), "int 12"},
		{"'1.5'", types.T(types.Int32), "int 2"},
		{"3000000000", types.T(types.Int32), "error 1264"},
		{"-129", types.T(types.Int8), "error 1264"},
		{"-128", types.T(types.Int8), "tinyint -128"},
		{"-1", types.T(types.Uint64), "error 1264"},
		{"18446744073709551615u", types.T(types.Int64), "error 1264"},
		{"18446744073709551615u", types.T(types.Uint64), "bigint unsigned 18446744073709551615"},
		{"1e30", types.T(types.Int64), "error 1264"},
		{"255.4", types.T(types.Uint8), "tinyint unsigned 255"},
		{"255.5", types.T(types.Uint8), "error 1264"},
		{"1234.567", types.Dec(5, 2), "error 1264"},
		{"123.455", types.Dec(5, 2), "decimal(5,2) 123.46"},
		{"'x'", types.Dec(5, 2), "error 1366"},
		{"'abcd'", types.Type{ID: types.String, Len: 3}, "error 1406"},
		{"'äöü'", types.Type{ID: types.String, Len: 3}, "varchar(3) äöü"},
		{"12", types.Type{ID: types.String, Len: 3}, "varchar(3) 12"},
		{"'2020-02-30'", types.T(types.Date), "error 1292"},
		{"'2020-2-3'", types.T(types.Date), "date 2020-02-03"},
		{"NULL", types.T(types.Int32), "NULL"},
	} {
		e, err := readExpr(c.value)
		if err != nil {
			t.Fatal(err)
		}
		a := expr.Assign(e, c.to, "k", 3)
		got := describe(Const(a, kernel.Ctx{}))
		if got != c.want {
			t.Errorf("%s as %s: got %s, want %s", c.value, c.to, got, c.want)
		}
		if _, folded := a.(*expr.Const); !folded {
			checkColumns(t, c.value, a, 0, 3, c.want, false)
		}
	}
}

func TestAssignNamesColumnAndRow(t *testing.T) {
	b := expr.Assign(&expr.Col{T: kernel.TextType}, types.T(types.Int32), "price", 7)
	p, err := Compile(b, []expr.ColID{0})
	if err != nil {
		t.Fatal(err)
	}
	v := catalog.Str("1").Vector(3).Flatten(nil)
	v.Str[2] = "oops"
	_, err = p.NewEvaluator(kernel.Ctx{}).Eval(batchOf(v))
	e := sqlerr.From(err)
	want := "Incorrect integer value: 'oops' for column 'price' at row 3"
	if e == nil || e.Msg != want || e.Pos != 7 {
		t.Errorf("got %s, want %s at 7", fmt.Sprint(e), want)
	}
}
