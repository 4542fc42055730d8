package physical

import (
	"reflect"
	"testing"

	"gsql/sql/expr"
)

// fill sets every expression to a placeholder.
func fill(v reflect.Value, depth int) {
	if v.Type() == reflect.TypeFor[expr.Expr]() {
		v.Set(reflect.ValueOf(&expr.Placeholder{}))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if depth > 0 && v.CanSet() && v.Type().Elem().Kind() == reflect.Struct {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), depth-1)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i), depth)
			}
		}
	case reflect.Slice:
		if v.CanSet() {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			fill(v.Index(0), depth)
		}
	}
}

// placeholders counts the placeholders in v.
func placeholders(v reflect.Value) (n int) {
	if v.Kind() == reflect.Interface && !v.IsNil() {
		v = v.Elem()
	}
	if v.Type() == reflect.TypeFor[*expr.Placeholder]() {
		return 1
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			n = placeholders(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			n += placeholders(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			n += placeholders(v.Index(i))
		}
	}
	return n
}

// TestMapExprs replaces the placeholders in everything that operators compute.
func TestMapExprs(t *testing.T) {
	for _, tt := range []struct {
		op    Op
		wants int
	}{
		{&Scan{}, 1}, {&Values{}, 1}, {&Filter{}, 1}, {&Project{}, 1}, {&Join{}, 5}, {&Apply{}, 2}, {&HashAgg{}, 3},
		{&GroupJoin{}, 7}, {&Sort{}, 1}, {&Window{}, 5}, {&Limit{}, 0}, {&SetOp{}, 0}, {&Recursive{}, 0}, {&WorkTable{}, 0}, {&Shared{}, 0}, {&MaxOneRow{}, 0},
	} {
		fill(reflect.ValueOf(tt.op).Elem(), 3)
		if s, ok := tt.op.(*Scan); ok {
			s.Dynamic, s.Table, s.Prune = nil, nil, nil // tested by columns alone
		}
		if n := placeholders(reflect.ValueOf(tt.op)); n != tt.wants {
			t.Errorf("%T holds %d expressions, want %d", tt.op, n, tt.wants)
		}
		if same := MapExprs(tt.op, func(e expr.Expr) expr.Expr { return e }); same != tt.op {
			t.Errorf("%T is copied for nothing", tt.op)
		}
		m := MapExprs(tt.op, func(expr.Expr) expr.Expr { return &expr.Const{} })
		if n := placeholders(reflect.ValueOf(m)); n != 0 {
			t.Errorf("%T has %d expressions left", tt.op, n)
		}
		if n := placeholders(reflect.ValueOf(tt.op)); n != tt.wants {
			t.Errorf("%T has changed", tt.op)
		}
	}
}
