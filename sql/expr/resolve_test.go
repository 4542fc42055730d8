package expr

import (
	"errors"
	"strings"
	"testing"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
)

func col(t types.Type) *Col { return &Col{ID: ColID(t.ID), Name: t.Name(), T: t} }

func text(s string) *Const { return &Const{Value: catalog.Str(s)} }

func integer(x int64) *Const { return &Const{Value: catalog.Int(x)} }

// The result types are those MySQL 8 reports for columns of these types, with
// precision cut to 38.
func TestResultTypes(t *testing.T) {
	i8, i64, u32, u64 := types.T(types.Int8), types.T(types.Int64), types.T(types.Uint32), types.T(types.Uint64)
	d52, d104, f64, f32 := types.Dec(5, 2), types.Dec(10, 4), types.T(types.Float64), types.T(types.Float32)
	str, date := types.T(types.String), types.T(types.Date)
	for _, c := range []struct {
		fn   FuncID
		a, b types.Type
		want types.Type
	}{
		{"+", i8, i8, i64}, {"+", i8, u32, u64}, {"*", u64, u64, u64}, {"+", d52, d104, types.Dec(11, 4)},
		{"*", d52, d104, types.Dec(15, 6)}, {"/", d52, d104, types.Dec(13, 6)}, {"/", i64, i64, types.Dec(23, 4)},
		{"+", d52, f64, f64}, {"+", str, i8, f64}, {"-", f32, i8, f64}, {"div", i8, u32, u64}, {"div", d52, i8, i64},
		{"%", u64, i8, u64}, {"%", i8, u64, i64}, {"%", d52, d104, types.Dec(10, 4)}, {"&", i8, i8, u64},
		{"+", date, i8, i64}, {"=", str, i8, i64}, {"coalesce", i8, u32, i64}, {"coalesce", i64, u64, types.Dec(20, 0)},
		{"coalesce", d52, i8, types.Dec(5, 2)}, {"coalesce", d52, f32, f64}, {"coalesce", f32, f32, f32},
		{"ifnull", date, types.T(types.Datetime), types.T(types.Datetime)}, {"nullif", d52, i8, d52},
	} {
		e, err := NewCall(c.fn, []Expr{col(c.a), col(c.b)}, -1)
		if err != nil {
			t.Fatal(err)
		}
		if e.Type().Shown() != c.want {
			t.Errorf("%s %s %s is %s, want %s", c.a, c.fn, c.b, e.Type(), c.want)
		}
	}
}

func TestAggregateTypes(t *testing.T) {
	for _, c := range []struct {
		fn   AggFn
		arg  types.Type
		want types.Type
	}{
		{Sum, types.T(types.Int32), types.Dec(32, 0)}, {Sum, types.Dec(10, 2), types.Dec(32, 2)}, {Sum, types.T(types.Float32), types.T(types.Float64)},
		{Sum, types.T(types.String), types.T(types.Float64)}, {Avg, types.T(types.Int32), types.Dec(14, 4)}, {Avg, types.Dec(10, 2), types.Dec(14, 6)},
		{Min, types.T(types.Date), types.T(types.Date)}, {Count, types.T(types.Date), types.T(types.Int64)},
		{StddevPop, types.T(types.Int8), types.T(types.Float64)}, {BitOr, types.T(types.Int8), types.T(types.Uint64)},
		{GroupConcat, types.T(types.Int8), types.T(types.String)},
	} {
		a, err := NewAgg(c.fn, []Expr{col(c.arg)}, false)
		if err != nil {
			t.Fatal(err)
		}
		if a.T.Shown() != c.want {
			t.Errorf("%s of %s is %s, want %s", c.fn, c.arg, a.T, c.want)
		}
	}
	if _, err := NewAgg(Sum, nil, false); !errors.Is(err, sqlerr.WrongParamCountToNativeFct) {
		t.Errorf("SUM(): %v", err)
	}
}

// TestComparisonConversions shows what the operands of comparisons become.
func TestComparisonConversions(t *testing.T) {
	d := col(types.T(types.Date))
	for _, c := range []struct {
		fn   FuncID
		args []Expr
		want string
	}{
		{"=", []Expr{d, text("2020-01-31")}, "DATE = CAST('2020-01-31' AS DATE)"},
		{"<", []Expr{d, text("2020-01-31 10:00:00")}, "CAST(DATE AS DATETIME(6)) < CAST('2020-01-31 10:00:00' AS DATETIME(6))"},
		{"=", []Expr{col(types.T(types.Int32)), col(types.T(types.Int64))}, "INT = BIGINT"},
		{"=", []Expr{col(types.T(types.Uint64)), integer(5)}, "UNSIGNED BIGINT = 5"},
		{"=", []Expr{col(types.T(types.Uint64)), integer(-5)}, "CAST(UNSIGNED BIGINT AS DECIMAL(20,0)) = -5"},
		{"=", []Expr{col(types.Dec(5, 2)), integer(5)}, "DECIMAL = 5.00"},
		{"=", []Expr{col(types.T(types.String)), integer(5)}, "CAST(VARCHAR AS DOUBLE) = 5"},
		{"in", []Expr{col(types.T(types.Int32)), integer(5)}, "INT = 5"},
		{"in", []Expr{col(types.T(types.Int32)), integer(5), integer(6)}, "INT IN (5, 6)"},
		{"in", []Expr{col(types.T(types.String)), text("a"), integer(6)}, "(VARCHAR = 'a') OR (CAST(VARCHAR AS DOUBLE) = 6)"},
		{"if", []Expr{col(types.Dec(3, 1)), integer(5), integer(6)}, "CASE WHEN DECIMAL <> 0.0 THEN 5 ELSE 6 END"},
		{"neg", []Expr{integer(5)}, "-5"},
	} {
		e, err := NewCall(c.fn, c.args, -1)
		if err != nil {
			t.Fatal(err)
		}
		got := strings.ReplaceAll(e.String(), "TEXT", "VARCHAR")
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.fn, got, c.want)
		}
	}
}

func TestNewCallErrors(t *testing.T) {
	_, err := NewCall("colesce", nil, 9)
	e := sqlerr.From(err)
	if e.Code != sqlerr.SPDoesNotExist || e.Pos != 9 || !strings.Contains(e.Hint, "coalesce") {
		t.Errorf("got %v at %d, hint %q", e, e.Pos, e.Hint)
	}
	if _, err = NewCall("nullif", []Expr{integer(1)}, 0); !errors.Is(err, sqlerr.WrongParamCountToNativeFct) {
		t.Errorf("got %v", err)
	}
}

func TestNewCallKeepsItsArguments(t *testing.T) {
	args := []Expr{col(types.Dec(3, 1)), integer(5), integer(6)}
	before := append([]Expr(nil), args...)
	if _, err := NewCall("case", args, -1); err != nil {
		t.Fatal(err)
	}
	for i := range args {
		if args[i] != before[i] {
			t.Errorf("argument %d was replaced", i)
		}
	}
}

func TestEqual(t *testing.T) {
	mk := func(id ColID, k int64) Expr {
		e, err := NewCall("+", []Expr{&Col{ID: id, T: types.T(types.Int64)}, integer(k)}, int(k))
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	if !Equal(mk(1, 2), mk(1, 2)) || Equal(mk(1, 2), mk(2, 2)) || Equal(mk(1, 2), mk(1, 3)) {
		t.Error("Equal ignores or invents a difference")
	}
}
