package json_test

import (
	stdjson "encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"gsql/sql/json"
	"gsql/sql/sqlerr"
)

// pieces are tokens and parts of tokens of JSON, right and wrong.
var pieces = []string{
	"{", "}", "[", "]", ",", ":", " ", "\n", `"a"`, `"b"`, `"aa"`, `"\n"`, `"\u00e4"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\ude00x"`, `"\u12"`, `"\q"`,
	"\"\x01\"", "\"\xff\"", "1", "-1", "-0", "0", "01", "1.5", "1.", "1e5", "1E+2", "1e", "-", "123456789012345678901", "18446744073709551615", "1e999",
	"true", "false", "null", "nul", "x", `"`, `\`, "\v", `"ä"`, "1.50", `[1, {"k": [2]}]`, `{"a": 1, "c": {}}`, `"a": 1`, `"b": [], "a": 2`,
}

// randomText concatenates pieces; half of the time within brackets.
func randomText(r *rand.Rand) string {
	var b strings.Builder
	open := []string{"", "", "[", `{"a":`}[r.IntN(4)]
	b.WriteString(open)
	for range r.IntN(7) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	switch open {
	case "[":
		b.WriteByte(']')
	case "":
	default:
		b.WriteByte('}')
	}
	return b.String()
}

// standard decodes a text with encoding/json. syntax reports whether the text is valid, and rest how
// many bytes follow the first value.
func standard(text string) (v any, rest string, syntax error) {
	d := stdjson.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, "", err
	}
	return v, strings.TrimLeft(text[d.InputOffset():], " \t\r\n"), nil
}

// TestParseAsStandard decodes random texts as encoding/json does: the values, whether there is an
// error, and its place.
func TestParseAsStandard(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	valid := 0
	for range 50_000 {
		text := randomText(r)
		got, err := json.Must(text)
		want, rest, syntax := standard(text)
		_, perr := json.Parse(text)
		var e *json.SyntaxError
		var place *stdjson.SyntaxError
		switch {
		case syntax == nil && rest == "" && utf8.ValidString(text):
			valid++
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Fatalf("%q: %v, %v, not %v", text, got, err, want)
			}
		case !errors.As(perr, &e):
			t.Fatalf("%q: %v, want a syntax error", text, perr)
		case errors.Is(syntax, io.EOF) && e.Pos != 0, errors.Is(syntax, io.ErrUnexpectedEOF) && e.Pos != len(text):
			t.Fatalf("%q: %v at %d", text, e, e.Pos)
		case errors.As(syntax, &place) && e.Pos != int(place.Offset)-1:
			t.Fatalf("%q: %v at %d, not %d", text, e, e.Pos, place.Offset-1)
		case rest != "" && e.Pos != len(text)-len(rest):
			t.Fatalf("%q: %v at %d, not %d", text, e, e.Pos, len(text)-len(rest))
		}
		if valid, err := (&json.Decoder{}).Valid(text); valid != (perr == nil) || err != nil {
			t.Fatalf("%q: valid %v, but %v, %v", text, valid, perr, err)
		}
		normal, nerr := json.AppendNormal(nil, text, nil)
		if v, _ := json.Parse(text); perr == nil && string(normal) != string(json.Append(nil, v)) || (nerr == nil) != (perr == nil) || nerr != nil && nerr.Error() != perr.Error() {
			t.Fatalf("%q: %s, %v, not %v, %v", text, normal, nerr, v, perr)
		}
	}
	if valid < 3000 {
		t.Errorf("only %d texts were valid", valid)
	}
}

// TestTooDeep limits the depth, once the syntax is right.
func TestTooDeep(t *testing.T) {
	nested := func(n int, within string) string {
		return strings.Repeat("[", n) + within + strings.Repeat("]", n)
	}
	for text, deep := range map[string]bool{
		nested(100, ""): false, nested(99, "1"): false, nested(100, "1"): true, nested(101, ""): true, nested(5000, ""): true,
	} {
		_, err := json.Parse(text)
		if e := sqlerr.From(err); deep && (err == nil || e.Code != sqlerr.JSONTooDeep) || !deep && err != nil {
			t.Errorf("%.20s (%d bytes): %v", text, len(text), err)
		}
	}
	var syntax *json.SyntaxError
	for _, text := range []string{nested(200, "1") + "x", nested(20_000, "1"), strings.Repeat("[", 1<<20)} {
		if _, err := json.Parse(text); !errors.As(err, &syntax) {
			t.Errorf("%.20s: %v", text, err)
		}
	}
}

// hostile are texts that take much memory for their length.
func hostile(n int) []string {
	list := func(e string) string { return "[" + strings.Repeat(e+",", n/(len(e)+1)) + e + "]" }
	names := make([]byte, 0, n)
	for i := range n / 12 {
		names = append(names, `,"`...)
		names = stringOf(names, i)
		names = append(names, `":1`...)
	}
	return []string{
		list("1"), list("[]"), list("{}"), list("[1]"), list(`{"a":1}`), list(`"a"`), list(`"\n"`), list(`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9}`),
		list("-1"), list("[[[[[]]]]]"), list("1e300"), "{" + string(names[1:]) + "}", list(`[1,2,3,4,5]`), list("true"), list("[null]"),
	}
}

func stringOf(dst []byte, i int) []byte {
	for k := 6; k >= 0; k-- {
		dst = append(dst, byte('a'+i>>(k*3)&7))
	}
	return dst
}

// allocated returns the bytes that f allocates.
func allocated(f func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// TestCost compares the estimate with what decoding allocates; arrays that grow leave their former
// memory behind, so that the allocations together may be three times as many.
func TestCost(t *testing.T) {
	for _, text := range hostile(1 << 20) {
		var v json.Value
		taken := allocated(func() { v, _ = json.Must(text) })
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		runtime.KeepAlive(v)
		v = nil
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(&v)
		live := int64(before.HeapAlloc) - int64(after.HeapAlloc)
		t.Logf("%.20s: %d allocated, %d alive, %d estimated", text, taken, live, json.Cost(text))
		if json.Cost(text) < live || json.Cost(text)*3 < taken {
			t.Errorf("%.20s: estimated %d, but %d are alive and %d were allocated", text, json.Cost(text), live, taken)
		}
	}
}

// TestSizes: sizes are the lengths of the texts.
func TestSizes(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20_000 {
		v := randomValue(r, 3)
		if text := json.Append(nil, v); len(text) != json.Size(v) {
			t.Fatalf("%s has %d bytes, not %d", text, len(text), json.Size(v))
		}
		if text := json.AppendPretty(nil, v); len(text) != json.PrettySize(v) {
			t.Fatalf("%s has %d bytes, not %d", text, len(text), json.PrettySize(v))
		}
	}
}

// BenchmarkParse decodes a document of ordinary size, and writes it in normal form.
func BenchmarkParse(b *testing.B) {
	const text = `{"id": 12345, "name": "a customer", "tags": ["x", "y", "z"], "address": {"street": "Main \"St\"", "no": 7, "geo": [1.5, -2.25]}, "ok": true}`
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			if _, err := json.Parse(text); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("normalise", func(b *testing.B) {
		b.ReportAllocs()
		var buf []byte
		for range b.N {
			var err error
			if buf, err = json.AppendNormal(buf[:0], text, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}
