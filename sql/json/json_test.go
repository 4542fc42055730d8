package json_test

import (
	"bytes"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"gsql/sql/json"
	"gsql/sql/sqlerr"
)

// randomValue returns a value as Parse does, with numbers in normal form.
func randomValue(r *rand.Rand, depth int) json.Value {
	names := []string{"a", "b", "aa", "x y", "ä", "\"", "\x01", "a\x00b", ""}
	switch n := r.IntN(8); {
	case n == 0:
		return nil
	case n == 1:
		return r.IntN(2) == 0
	case n == 2:
		return json.Number(strconv.Itoa(r.IntN(200) - 100))
	case n == 3:
		return json.Double(float64(r.IntN(2000)-1000) / 8)
	case n < 6 || depth == 0:
		return names[r.IntN(len(names))]
	case n == 6:
		list := make([]any, r.IntN(4))
		for i := range list {
			list[i] = randomValue(r, depth-1)
		}
		return list
	}
	m := map[string]any{}
	for range r.IntN(4) {
		m[names[r.IntN(len(names))]] = randomValue(r, depth-1)
	}
	return m
}

// TestNormalForm checks that parsing a text in normal form and formatting it again changes
// nothing, and that pretty text is parsed as the value that it was made from.
func TestNormalForm(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		text := string(json.Append(nil, randomValue(r, 3)))
		for _, read := range []func(string) (json.Value, error){json.Parse, json.Must} {
			v, err := read(text)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if again := string(json.Append(nil, v)); again != text {
				t.Fatalf("%s became %s", text, again)
			}
		}
		want := randomValue(r, 3)
		v, err := json.Parse(string(json.AppendPretty(nil, want)))
		if err != nil || !json.Equal(v, want) || string(json.Append(nil, v)) != string(json.Append(nil, want)) {
			t.Fatalf("%v became %v: %v", want, v, err)
		}
	}
}

// TestNumberKeys compares the order of keys with exact arithmetic.
func TestNumberKeys(t *testing.T) {
	numbers := []json.Number{
		"0", "0.0", "-0.0", "1", "1.0", "10", "9", "9.99", "100", "1e2", "0.1", "0.01", "1e-5", "1.5e-300", "1e300", "-1", "-1.0", "-10",
		"-9", "-0.5", "-1e-9", "-1e300", "18446744073709551615", "9223372036854775807", "-9223372036854775808", "1.10", "1.1",
	}
	for _, a := range numbers {
		for _, b := range numbers {
			x, _ := new(big.Rat).SetString(string(a))
			y, _ := new(big.Rat).SetString(string(b))
			if got := bytes.Compare(json.AppendKey(nil, a), json.AppendKey(nil, b)); got != x.Cmp(y) {
				t.Errorf("%s and %s: %d, want %d", a, b, got, x.Cmp(y))
			}
		}
	}
}

// free refuses no memory.
func free(int64) error { return nil }

// TestSearchFinds checks that a path returned by Search leads to the string that was searched
// for, and that Find finds the values that Change sets.
func TestSearchFinds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		v := randomValue(r, 3)
		paths, err := json.RootPath.Search(v, true, func(string) bool { return true }, free)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range paths {
			p, err := json.ParsePath(at)
			if err != nil {
				t.Fatalf("%s: %v", at, err)
			}
			found := p.Find(v)
			if len(found) != 1 {
				t.Fatalf("%s selects %v of %s", at, found, json.Append(nil, v))
			}
			if _, ok := found[0].(string); !ok {
				t.Fatalf("%s selects %v", at, found[0])
			}
			v = json.Change(v, p, json.Number("7"), json.Replace)
			if found = p.Find(v); len(found) != 1 || !json.Equal(found[0], json.Number("7")) {
				t.Fatalf("%s: %v after Change", at, found)
			}
			if p.Root() {
				continue
			}
			n := len(json.Append(nil, v))
			if v = json.Remove(v, p); len(json.Append(nil, v)) >= n {
				t.Fatalf("%s: Remove leaves %s", at, json.Append(nil, v))
			}
			break // the other paths may be different now
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.0,"x\u00e4"]}`, `[`, `"\ud800"`, `1e999`, `-0`, `[[[[]]]]`, "\"\xff\""} {
		f.Add(seed, "$.a[0]**.b[last-1 to last]")
	}
	f.Fuzz(func(t *testing.T, text, path string) {
		v, err := json.Parse(text)
		if err != nil {
			return
		}
		normal := string(json.Append(nil, v))
		again, err := json.Must(normal)
		if err != nil || string(json.Append(nil, again)) != normal {
			t.Fatalf("%q became %q: %v", text, normal, err)
		}
		if p, err := json.ParsePath(path); err == nil {
			if _, err := p.FindAll(v, free); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestLongPaths follows paths of many steps, which must neither overflow the stack nor visit a place
// in every way that leads there.
func TestLongPaths(t *testing.T) {
	doc, err := json.Parse(strings.Repeat(`[{"a":`, 49) + "1" + strings.Repeat("}]", 49))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]int{
		"$" + strings.Repeat("[0]", 1000): 1, "$" + strings.Repeat("**[0]", 500): 50, "$" + strings.Repeat("**.a", 49): 1, "$" + strings.Repeat("**.a", 50): 0,
	} {
		p, err := json.ParsePath(path)
		if err != nil {
			t.Fatalf("%.20s: %v", path, err)
		}
		if found, err := p.FindAll(doc, free); err != nil || len(found) != want {
			t.Errorf("%.20s selects %d values, not %d: %v", path, len(found), want, err)
		}
	}
	for _, path := range []string{"$" + strings.Repeat("[0]", 1001), "$" + strings.Repeat("**[0]", 1<<20)} {
		if _, err := json.ParsePath(path); err == nil || sqlerr.From(err).Code != sqlerr.InvalidJSONPath {
			t.Errorf("%.20s: %v", path, err)
		}
	}
}
