package eval

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// batchOf returns a batch of the given columns.
func batchOf(cols ...*vec.Vector) *vec.Batch { return &vec.Batch{N: cols[0].N, Cols: cols} }

// session is an Env that records warnings.
type session struct {
	mu    sync.Mutex
	codes []uint16
}

func (s *session) Now() int64                { return 1_600_000_000 * types.Second }
func (s *session) Var(string) (string, bool) { return "", false }
func (s *session) Warn(code uint16, _ string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.codes = append(s.codes, code)
}

// TestTruthTables checks every line of testdata/truth.txt: as a constant, and with its literals
// in columns of every form at several batch sizes.
func TestTruthTables(t *testing.T) { checkFile(t, "testdata/truth.txt", 100) }

func checkFile(t *testing.T, path string, atLeast int) {
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	n := 0
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		n++
		src, want, ok := strings.Cut(line, " => ")
		if !ok {
			t.Fatalf("no => in %q", line)
		}
		checkLine(t, strings.TrimSpace(src), strings.TrimSpace(want))
	}
	if n < atLeast {
		t.Errorf("only %d lines", n)
	}
}

func checkLine(t *testing.T, src, want string) {
	t.Helper()
	e, err := readExpr(src)
	if err != nil {
		if got := fmt.Sprintf("error %d", sqlerr.From(err).Code); got != want {
			t.Errorf("%s: got %v, want %s", src, err, want)
		}
		return
	}
	want, warning, warns := strings.Cut(want, " !")
	want = strings.TrimSpace(want)
	env := &session{}
	e = expr.Shown(e)
	got := describe(Const(e, kernel.Ctx{Env: env}))
	if got != want {
		t.Errorf("%s (%s): got %s, want %s", src, e, got, want)
	}
	if code := strings.TrimSpace(warning); warns != (len(env.codes) > 0) || warns && fmt.Sprint(env.codes[0]) != code {
		t.Errorf("%s: warnings %v, want %q", src, env.codes, code)
	}
	for _, form := range []vec.Form{vec.Flat, vec.Const, vec.View} {
		for _, n := range []int{1, 3, 2048} {
			checkColumns(t, src, e, form, n, got, len(env.codes) > 0)
		}
	}
}

// checkColumns evaluates e with its literals replaced by columns.
func checkColumns(t *testing.T, src string, e expr.Expr, form vec.Form, n int, want string, warns bool) {
	t.Helper()
	b := &vec.Batch{N: n}
	var input []expr.ColID
	e = expr.Map(e, func(e expr.Expr) expr.Expr {
		k, ok := e.(*expr.Const)
		if !ok || k.Value.Str == "k" || isUnit(k) || strings.HasPrefix(k.Value.Str, "argument ") {
			return e // "k" names the column of an assignment, "argument" one of JSON; units are always constant
		}
		id := expr.ColID(len(input))
		input = append(input, id)
		b.Cols = append(b.Cols, column(k.Value, form, n))
		return &expr.Col{ID: id, Name: fmt.Sprint("c", id), T: k.Type()}
	})
	env := &session{}
	p, err := Compile(e, input)
	if err != nil {
		t.Errorf("%s: compile: %v", src, err)
		return
	}
	v, err := p.NewEvaluator(kernel.Ctx{Env: env}).Eval(b)
	for i := 0; i < n; i++ {
		var d catalog.Datum
		if err == nil {
			d = catalog.DatumAt(v, i)
		}
		if got := describe(d, err); got != want {
			t.Errorf("%s: form %d, row %d of %d: got %s, want %s", src, form, i, n, got, want)
			return
		}
	}
	if warns != (len(env.codes) > 0) {
		t.Errorf("%s: form %d: warnings %v, want some: %v", src, form, env.codes, warns)
	}
}

// isUnit reports whether e is the unit of an interval.
func isUnit(e expr.Expr) bool {
	_, err := expr.UnitOf(e)
	return err == nil
}

// column returns n rows of d in the given form.
func column(d catalog.Datum, form vec.Form, n int) *vec.Vector {
	v := d.Vector(n)
	if form == vec.Const {
		return v
	}
	v = v.Flatten(nil)
	if form == vec.Flat {
		return v
	}
	// A view: the base contains the value in slot 1 and a NULL in slot 0.
	base := vec.NewFlat(d.Type, 2)
	if v.N > 0 && !d.Null {
		fill := d.Vector(2).Flatten(nil)
		*base = *fill
	}
	base.SetNull(0)
	if d.Null {
		base.SetNull(1)
	}
	view := &vec.Vector{Type: d.Type, Form: vec.View, N: n, Base: base, Idx: make([]int32, n)}
	for i := range view.Idx {
		view.Idx[i] = 1
		if d.Null {
			view.Idx[i] = int32(i%3) - 1
		}
	}
	return view
}

func describe(d catalog.Datum, err error) string {
	var e *sqlerr.Error
	if errors.As(err, &e) {
		return fmt.Sprintf("error %d", e.Code)
	}
	if err != nil {
		return err.Error()
	}
	if d.Null {
		return "NULL"
	}
	return strings.TrimRight(d.Type.String()+" "+d.Text(), " ")
}

// readExpr parses (fn arg ...) with the literals 1, 1.5, 1e0, 'text', NULL, 5u (unsigned),
// d'2020-01-31', dt'...' and t'...'; (cast type arg) converts.
func readExpr(src string) (expr.Expr, error) {
	r := &reader{rest: src}
	e, err := r.expr()
	if err == nil && strings.TrimSpace(r.rest) != "" {
		panic("text after expression: " + r.rest)
	}
	return e, err
}

type reader struct{ rest string }

func (r *reader) word() string {
	r.rest = strings.TrimLeft(r.rest, " ")
	n := strings.IndexAny(r.rest, " )")
	if n < 0 {
		n = len(r.rest)
	}
	w := r.rest[:n]
	r.rest = r.rest[n:]
	return w
}

func (r *reader) expr() (expr.Expr, error) {
	r.rest = strings.TrimLeft(r.rest, " ")
	if !strings.HasPrefix(r.rest, "(") {
		return r.literal(), nil
	}
	r.rest = r.rest[1:]
	fn := r.word()
	target := ""
	if fn == "cast" {
		target = r.word()
	}
	var args []expr.Expr
	for {
		r.rest = strings.TrimLeft(r.rest, " ")
		if strings.HasPrefix(r.rest, ")") {
			r.rest = r.rest[1:]
			break
		}
		a, err := r.expr()
		if err != nil {
			return nil, err
		}
		args = append(args, a)
	}
	if fn == "cast" {
		return expr.Cast(args[0], castTarget(target)), nil
	}
	return expr.NewCall(expr.FuncID(fn), args, -1)
}

func castTarget(s string) types.Type {
	name, rest, _ := strings.Cut(strings.TrimSuffix(s, "]"), "[")
	p, q, _ := strings.Cut(rest, ",")
	n, _ := strconv.Atoi(p)
	m, _ := strconv.Atoi(q)
	switch name {
	case "signed":
		return kernel.Int64Type
	case "unsigned":
		return kernel.Uint64Type
	case "decimal":
		return types.Dec(n, m)
	case "char":
		return types.Type{ID: types.String, Len: uint32(n)}
	case "binary":
		return types.Type{ID: types.Bytes, Len: uint32(n)}
	case "double":
		return kernel.DoubleType
	case "float":
		return types.T(types.Float32)
	case "json":
		return types.T(types.JSON)
	case "date":
		return types.T(types.Date)
	case "datetime":
		return types.Type{ID: types.Datetime, Prec: uint8(n)}
	case "time":
		return types.Type{ID: types.Time, Prec: uint8(n)}
	}
	panic("unknown type " + s)
}

func (r *reader) quoted() string {
	end := strings.Index(r.rest[1:], "'") + 1
	s := r.rest[1:end]
	r.rest = r.rest[end+1:]
	return s
}

func (r *reader) literal() expr.Expr {
	for prefix, target := range map[string]types.Type{
		"d'": types.T(types.Date), "dt'": {ID: types.Datetime, Prec: 6}, "t'": {ID: types.Time, Prec: 6},
	} {
		if strings.HasPrefix(r.rest, prefix) {
			r.rest = r.rest[len(prefix)-1:]
			d, err := Const(expr.Cast(&expr.Const{Value: catalog.Str(r.quoted())}, target), kernel.Ctx{})
			if err != nil || d.Null {
				panic("bad temporal literal")
			}
			return &expr.Const{Value: d}
		}
	}
	if strings.HasPrefix(r.rest, "'") {
		return &expr.Const{Value: catalog.Str(r.quoted())}
	}
	return &expr.Const{Value: number(r.word())}
}

func number(w string) catalog.Datum {
	switch {
	case w == "NULL":
		return catalog.Datum{Null: true}
	case strings.HasSuffix(w, "u"):
		u, err := strconv.ParseUint(w[:len(w)-1], 10, 64)
		if err != nil {
			panic(err)
		}
		return catalog.Datum{Type: kernel.Uint64Type, I64: int64(u)}
	case strings.ContainsAny(w, "eE"):
		f, err := strconv.ParseFloat(w, 64)
		if err != nil {
			panic(err)
		}
		return catalog.Datum{Type: kernel.DoubleType, F64: f}
	}
	if n, err := strconv.ParseInt(w, 10, 64); err == nil {
		return catalog.Int(n)
	}
	n, t, ok := types.ParseDecimalLiteral(w)
	if !ok {
		panic("bad literal " + w)
	}
	return catalog.Datum{Type: t, Dec: n}
}

func (s *session) SetLastInsertID(int64)                  {}
func (s *session) Memory() *mem.Account                   { return nil }
func (s *session) Running() context.Context               { return context.Background() }
func (s *session) UserVar(string) (catalog.Datum, bool)   { return catalog.Datum{}, false }
func (s *session) SetUserVar(string, catalog.Datum) error { return nil }
