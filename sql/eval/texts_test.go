package eval

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// TestTextsAreCharged makes texts that exceed a memory limit, which is error 1037, and texts that
// do not, whose memory is released with the next batch.
func TestTextsAreCharged(t *testing.T) {
	col := &expr.Col{ID: 1, Name: "n", T: kernel.Int64Type}
	text := func(s string) expr.Expr { return &expr.Const{Value: catalog.Str(s)} }
	for _, e := range []expr.Expr{
		mustCall("repeat", text("ab"), col), mustCall("space", col), mustCall("lpad", text("x"), col, text("yz")), mustCall("rpad", text("x"), col, text("y")),
		mustCall("concat", mustCall("space", col), text("z")), mustCall("replace", mustCall("space", col), text(" "), text("--")), mustCall("insert", text("ab"), &expr.Const{Value: catalog.Int(2)}, &expr.Const{Value: catalog.Int(1)}, mustCall("space", col)),
		mustCall("regexp_replace", mustCall("space", col), text(" "), text("--")), mustCall("hex", mustCall("space", col)), mustCall("quote", mustCall("space", col)),
		mustCall("export_set", &expr.Const{Value: catalog.Int(5)}, mustCall("space", col), text("n")), mustCall("make_set", &expr.Const{Value: catalog.Int(3)}, mustCall("space", col), text("y")),
	} {
		const limit = 8 << 20
		account := mem.NewRoot("query", limit)
		p, err := Compile(e, []expr.ColID{1})
		if err != nil {
			t.Fatal(err)
		}
		ev := p.NewEvaluator(kernel.Ctx{Mem: account})
		eval := func(rows int, size int64) error {
			v := vec.NewFlat(kernel.Int64Type, rows)
			for i := range v.I64 {
				v.I64[i] = size
			}
			_, err := ev.Eval(&vec.Batch{N: rows, Cols: []*vec.Vector{v}})
			return err
		}
		var refused *sqlerr.Error
		if err := eval(900, 10_000); !errors.As(err, &refused) || refused.Code != sqlerr.OutOfMemory {
			t.Errorf("%v: %v", e, err)
		}
		for range 3 {
			if err := eval(100, 20_000); err != nil {
				t.Fatalf("%v: %v", e, err)
			}
			if used := account.Used(); used < 100*20_000-kernel.ChargeStep || used > limit {
				t.Errorf("%v: %d bytes charged", e, used)
			}
		}
		if ev.Release(); account.Used() != 0 {
			t.Errorf("%v: %d bytes charged after the end", e, account.Used())
		}
	}
}

// someTexts returns n texts, mostly ASCII, some of them NULL with a value that must be ignored.
func someTexts(r *rand.Rand, n, longest int) *vec.Vector {
	v := vec.NewFlat(kernel.TextType, n)
	for i := range v.Str {
		b := make([]rune, r.IntN(longest+1))
		for k := range b {
			b[k] = rune(r.IntN(128))
		}
		if len(b) > 0 && r.IntN(8) == 0 {
			b[r.IntN(len(b))] = []rune("éßŸǆİ世")[r.IntN(6)]
		}
		if v.Str[i] = string(b); r.IntN(10) == 0 {
			v.SetNull(i)
		}
	}
	return v
}

// TestCases compares batches of texts, converted to upper and lower case, with the results of
// package unicode.
func TestCases(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	col := &expr.Col{ID: 1, Name: "s", T: kernel.TextType}
	for round := range 200 {
		v := someTexts(r, 1+r.IntN(300), 1+round%40)
		up, down := evaluated(t, mustCall("upper", col), v), evaluated(t, mustCall("lower", col), v)
		for i, s := range v.Str {
			if v.IsNull(i) != up.IsNull(i) || v.IsNull(i) != down.IsNull(i) {
				t.Fatalf("row %d is NULL: %v and %v", i, up.IsNull(i), down.IsNull(i))
			}
			if v.IsNull(i) {
				continue
			}
			if want := strings.Map(unicode.ToUpper, s); up.Str[i] != want {
				t.Fatalf("%q in upper case: %q, want %q", s, up.Str[i], want)
			}
			if want := strings.Map(unicode.ToLower, s); down.Str[i] != want {
				t.Fatalf("%q in lower case: %q, want %q", s, down.Str[i], want)
			}
		}
	}
}

// TestConcatenations compares CONCAT and CONCAT_WS over columns and constants, short and long,
// with strings.Join.
func TestConcatenations(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	for round := range 150 {
		n, longest := 1+r.IntN(500), r.IntN(30)
		if round%10 == 0 {
			longest = 10_000 // more than fits in one block
		}
		var ids []expr.ColID
		var args []expr.Expr
		b := &vec.Batch{N: n}
		for range 2 + r.IntN(3) {
			if r.IntN(3) == 0 {
				args = append(args, &expr.Const{Value: catalog.Str(strings.Repeat("-", r.IntN(3)))})
				continue
			}
			id := expr.ColID(len(ids) + 1)
			ids, b.Cols = append(ids, id), append(b.Cols, someTexts(r, n, longest))
			args = append(args, &expr.Col{ID: id, Name: "s", T: kernel.TextType})
		}
		if len(ids) == 0 {
			continue
		}
		for _, fn := range []expr.FuncID{"concat", "concat_ws"} {
			p, err := Compile(mustCall(fn, args...), ids)
			if err != nil {
				t.Fatal(err)
			}
			ev := p.NewEvaluator(kernel.Ctx{})
			for range 2 {
				got, err := ev.Eval(b)
				if err != nil {
					t.Fatal(err)
				}
				for i := range n {
					want, ok := joinedRow(fn, args, b, i)
					if got.IsNull(i) == ok || ok && got.Str[i] != want {
						t.Fatalf("%s, row %d: %q, want %q, %v", fn, i, got.Str[i], want, ok)
					}
				}
			}
		}
	}
}

// joinedRow returns the result of CONCAT or CONCAT_WS for row i; ok is false for NULL.
func joinedRow(fn expr.FuncID, args []expr.Expr, b *vec.Batch, i int) (s string, ok bool) {
	var texts []string
	for k, a := range args {
		if c, is := a.(*expr.Const); is {
			texts = append(texts, c.Value.Str)
			continue
		}
		v := b.Cols[a.(*expr.Col).ID-1]
		if !v.IsNull(i) {
			texts = append(texts, v.Str[i])
		} else if fn == "concat" || k == 0 {
			return "", false
		}
	}
	if fn == "concat" {
		return strings.Join(texts, ""), true
	}
	return strings.Join(texts[1:], texts[0]), true
}

// TestConstantTextsAreCharged makes a long constant, which is computed once and charged until Free.
func TestConstantTextsAreCharged(t *testing.T) {
	const size = 6 << 20 // more than planning computes
	text, count := &expr.Const{Value: catalog.Str("ab")}, &expr.Const{Value: catalog.Int(size / 2)}
	account := mem.NewRoot("query", 0)
	p, err := Compile(mustCall("repeat", text, count), []expr.ColID{1})
	if err != nil {
		t.Fatal(err)
	}
	ev := p.NewEvaluator(kernel.Ctx{Mem: account})
	for range 3 {
		v, err := ev.Eval(&vec.Batch{N: 2, Cols: []*vec.Vector{vec.NewFlat(kernel.Int64Type, 2)}})
		if err != nil || len(v.Flatten(nil).Str[1]) != size {
			t.Fatal(err)
		}
		if used := account.Used(); used != size {
			t.Errorf("%d bytes charged for %d", used, size)
		}
	}
	if ev.Free(); account.Used() != 0 {
		t.Errorf("%d bytes charged after the end", account.Used())
	}
}

// TestReleasedTextsAreGarbage checks that an evaluator does not refer to texts that it has released.
func TestReleasedTextsAreGarbage(t *testing.T) {
	col := &expr.Col{ID: 1, Name: "n", T: kernel.Int64Type}
	p, err := Compile(mustCall("concat", mustCall("space", col), mustCall("space", col)), []expr.ColID{1})
	if err != nil {
		t.Fatal(err)
	}
	ev := p.NewEvaluator(kernel.Ctx{Mem: mem.NewRoot("query", 0)})
	v := vec.NewFlat(kernel.Int64Type, 1)
	v.I64[0] = 2 << 20
	if _, err := ev.Eval(&vec.Batch{N: 1, Cols: []*vec.Vector{v}}); err != nil {
		t.Fatal(err)
	}
	ev.Release()
	for i := range ev.root.slots {
		for _, s := range ev.root.slots[i].out.Str {
			if len(s) > 1<<20 {
				t.Errorf("register %d refers to a text of %d bytes", i, len(s))
			}
		}
	}
}
