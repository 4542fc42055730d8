package eval

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// TestFunctions checks testdata/functions.txt in the way TestTruthTables checks its file.
func TestFunctions(t *testing.T) { checkFile(t, "testdata/functions.txt", 400) }

// computed lists the functions that NewCall or the evaluator replaces by others.
const computed = " if ifnull nullif case coalesce date time timestampadd charset collation coercibility name_const "

// TestFunctionsAreWhole checks that every signature has a kernel and is in the table of expected
// results and in the documentation.
func TestFunctionsAreWhole(t *testing.T) {
	docs, err := os.ReadFile("../../docs/sql.md")
	if err != nil {
		t.Fatal(err)
	}
	answers, err := os.ReadFile("testdata/functions.txt")
	if err != nil {
		t.Fatal(err)
	}
	truth, err := os.ReadFile("testdata/truth.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range expr.Functions() {
		sig := expr.Lookup(expr.FuncID(name))
		if kernel.Lookup(sig.Name) == nil && !strings.Contains(computed, " "+name+" ") {
			t.Errorf("%s has no kernel", name)
		}
		if !strings.Contains(string(docs), "`"+strings.ToUpper(name)+"(") {
			t.Errorf("docs/sql.md does not list %s", strings.ToUpper(name))
		}
		if tested := "(" + string(sig.Name); !strings.Contains(string(answers)+string(truth), tested) &&
			!strings.Contains(string(answers)+string(truth), "("+name) {
			t.Errorf("%s is not tested", name)
		}
	}
}

// TestFunctionsDoNotAllocate checks that functions allocate no memory per row beyond their
// results.
func TestFunctionsDoNotAllocate(t *testing.T) {
	const n = 1024
	s, d, x := vec.NewFlat(kernel.TextType, n), vec.NewFlat(types.T(types.Date), n), vec.NewFlat(kernel.Int64Type, n)
	dec := vec.NewFlat(types.Dec(15, 2), n)
	for i := range n {
		s.Str[i] = strings.Repeat("ab C", i%5)
		d.I64[i], x.I64[i] = int64(i*7), int64(i%9+1)
	}
	b := batchOf(s, d, x, dec)
	col := func(id int) expr.Expr { return &expr.Col{ID: expr.ColID(id), Name: "c", T: b.Cols[id].Type} }
	text := func(s string) expr.Expr { return &expr.Const{Value: catalog.Str(s)} }
	one := &expr.Const{Value: catalog.Int(1)}
	for fn, args := range map[expr.FuncID][]expr.Expr{
		"upper": {col(0)}, "concat": {col(0), text("-"), col(0)}, "substring": {col(0), col(2)}, "char_length": {col(0)},
		"replace": {col(0), text("ab"), text("xyz")}, "lpad": {col(0), col(2), text("x")}, "locate": {text("C"), col(0)},
		"year": {col(1)}, "date_add": {col(1), col(2), text("month")}, "extract": {text("year_month"), col(1)},
		"date_format": {col(1), text("%Y-%m-%d %W")}, "round": {col(3), one}, "greatest": {col(2), one}, "hex": {col(0)},
		"week": {col(1)}, "md5": {col(0)}, "reverse": {col(0)}, "trim": {col(0)}, "concat_ws": {text(","), col(0), col(0)},
	} {
		e, err := expr.NewCall(fn, args, -1)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Compile(e, []expr.ColID{0, 1, 2, 3})
		if err != nil {
			t.Fatal(err)
		}
		ev := p.NewEvaluator(kernel.Ctx{})
		perBatch := testing.AllocsPerRun(20, func() {
			if _, err := ev.Eval(b); err != nil {
				t.Fatal(err)
			}
		})
		if perBatch > n/100 {
			t.Errorf("%s: %v allocations for %d rows", fn, perBatch, n)
		}
	}
}

// waiting is a session whose statement ends when ctx ends.
type waiting struct {
	session
	ctx context.Context
}

func (w *waiting) Memory() *mem.Account     { return nil }
func (w *waiting) Running() context.Context { return w.ctx }

// stopping is a session whose statement is cancelled at the given call of Running.
type stopping struct {
	waiting
	asked, after int
	cancel       func()
}

func (s *stopping) Memory() *mem.Account { return nil }
func (s *stopping) Running() context.Context {
	if s.asked++; s.asked == s.after {
		s.cancel()
	}
	return s.ctx
}

// TestLongExpressionsAreCancelled computes fifty calls for a batch, in sequence and as
// alternatives, and checks that only a few more are computed once the statement is cancelled.
func TestLongExpressionsAreCancelled(t *testing.T) {
	col := &expr.Col{ID: 1, T: kernel.TextType}
	v := vec.NewFlat(kernel.TextType, vec.BatchSize)
	nested, alternatives := expr.Expr(col), []expr.Expr{}
	for i := range 50 {
		nested = mustCall([]expr.FuncID{"upper", "reverse"}[i%2], nested)
		alternatives = append(alternatives, mustCall("=", mustCall("md5", mustCall("concat", col, &expr.Const{Value: catalog.Int(int64(i))})), &expr.Const{Value: catalog.Str("x")}))
	}
	for _, e := range []expr.Expr{nested, mustCall("or", alternatives...)} {
		p, err := Compile(e, []expr.ColID{1})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		env := &stopping{waiting: waiting{ctx: ctx}, after: 20, cancel: cancel}
		_, err = p.NewEvaluator(kernel.Ctx{Env: env}).Eval(&vec.Batch{Cols: []*vec.Vector{v}, N: v.N})
		if got := sqlerr.From(err); got == nil || got.Code != sqlerr.QueryInterrupted || env.asked != env.after {
			t.Errorf("%.60v: error %v after %d calls, want 1317 after %d", e, err, env.asked, env.after)
		}
	}
}

// TestLongTextsAreCancelled computes functions of long texts, with and without NULLs, completely
// and after the statement is cancelled.
func TestLongTextsAreCancelled(t *testing.T) {
	col := &expr.Col{ID: 1, T: kernel.TextType}
	v := vec.NewFlat(kernel.TextType, 50)
	for i := range v.Str {
		v.Str[i] = strings.Repeat(string(rune('a'+i%26)), 100_000+i)
	}
	v.Str[7] = "short"
	for _, fn := range []expr.FuncID{"upper", "length", "reverse", "sha1"} {
		for _, null := range []bool{false, true} {
			if null {
				v.SetNull(0)
				v.SetNull(49)
			}
			e, err := expr.NewCall(fn, []expr.Expr{col}, 7)
			if err != nil {
				t.Fatal(err)
			}
			p, err := Compile(e, []expr.ColID{1})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			got, err := p.NewEvaluator(kernel.Ctx{Env: &waiting{ctx: ctx}}).Eval(&vec.Batch{Cols: []*vec.Vector{v}, N: v.N})
			if err != nil {
				t.Fatal(err)
			}
			for i := range v.N {
				want, err := p.NewEvaluator(kernel.Ctx{}).Eval(&vec.Batch{Cols: []*vec.Vector{v.Slice(i, i+1)}, N: 1})
				if err != nil {
					t.Fatal(err)
				}
				if w := catalog.DatumAt(want, 0); catalog.DatumAt(got, i) != w {
					t.Fatalf("%s of row %d is another in pieces", fn, i)
				}
			}
			cancel()
			_, err = p.NewEvaluator(kernel.Ctx{Env: &waiting{ctx: ctx}}).Eval(&vec.Batch{Cols: []*vec.Vector{v}, N: v.N})
			if e := sqlerr.From(err); e == nil || e.Code != sqlerr.QueryInterrupted || e.Pos != 7 {
				t.Errorf("%s: error %v, want 1317", fn, err)
			}
		}
		v.Null = nil
	}
}

func TestSleepIsCancelled(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	e, err := expr.NewCall("sleep", []expr.Expr{&expr.Const{Value: catalog.Int(60)}}, 7)
	if err != nil {
		t.Fatal(err)
	}
	started := time.Now()
	_, err = Const(e, kernel.Ctx{Env: &waiting{ctx: ctx}})
	if e := sqlerr.From(err); e == nil || e.Code != sqlerr.QueryTimeout || e.Pos != 7 {
		t.Errorf("error %v, want 3024", err)
	}
	if d := time.Since(started); d > 30*time.Second {
		t.Errorf("stopped after %v", d)
	}
}
