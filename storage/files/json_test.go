package files

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/json"
	"gsql/sql/sqlerr"
	"gsql/storage/files/csv"
)

// chunked are options that cut a file into chunks of few bytes.
func chunked(bytes int) Options { return Options{Options: csv.Options{ChunkBytes: bytes}} }

// TestJSON reads files of all shapes.
func TestJSON(t *testing.T) {
	for _, c := range []struct{ name, text, schema, rows string }{
		{"lines", `{"a":1,"b":"x"}` + "\n" + `{"b":"y","a":-2}` + "\r\n", "a:bigint b:text", `"1"|"x"| "-2"|"y"|`},
		{"array", "\ufeff [ {\"a\": 1},\n {\"a\": null} , {} ] \n", "a:bigint", `"1"| <null>| <null>|`},
		{"spread out", "{\n \"a\": [1,\n2]\n}\n{\n \"a\": []}", "a:json", `"[1, 2]"| "[]"|`},
		{"types", `{"i":1,"w":12345678901234567890,"f":1.5,"t":true,"s":"7","d":"2024-02-29","dt":"2024-02-29T10:11:12Z","c":"10:11:12","n":null}`,
			"i:bigint w:decimal(38,0) f:double t:tinyint(1) s:text d:date dt:datetime c:time n:text",
			`"1"|"12345678901234567890"|"1.5"|"1"|"7"|"2024-02-29"|"2024-02-29 10:11:12"|"10:11:12"|<null>|`},
		{"numbers meet", `{"a":1}{"a":2.5}{"a":1e3}`, "a:double", `"1"| "2.5"| "1000"|`},
		{"dates meet", `{"a":"2024-01-01"}{"a":"2024-01-01 00:00:00.5"}`, "a:datetime(6)", `"2024-01-01 00:00:00.000000"| "2024-01-01 00:00:00.500000"|`},
		{"no dates", `{"a":"2024-01-01"}{"a":"2024-02-30"}`, "a:text", `"2024-01-01"| "2024-02-30"|`},
		{"kinds meet", `{"a":1}{"a":"x"}{"a":{"k":true}}{"a":false}`, "a:json", `"1"| "\"x\""| "{\"k\": true}"| "false"|`},
		{"later members", `{"a":1}` + "\n" + `{"b":2,"a":3}`, "a:bigint b:bigint", `"1"|<null>| "3"|"2"|`},
		{"repeated member", `{"a":1,"a":2}`, "a:bigint", `"2"|`},
		{"names", `{"A":1,"a":2,"":3,"\u0062":4}`, "A:bigint a_2:bigint c3:bigint b:bigint", `"1"|"2"|"3"|"4"|`},
		{"escapes", `{"a":"\u00e4\n\"\\\/\ud83d\ude00"}`, "a:text", `"ä\n\"\\/😀"|`},
		{"values", `[1, 2.5, null]`, "value:double", `"1"| "2.5"| <null>|`},
		{"arrays", `[[1],[2,{"a":1}]]`, "value:json", `"[1]"| "[2, {\"a\": 1}]"|`},
		{"mixed values", `{"a":1}` + "\n" + `"x"`, "value:json", `"{\"a\": 1}"| "\"x\""|`},
		{"null among objects", `[{"a":1},null]`, "a:bigint", `"1"| <null>|`},
		{"strings that look nested", `{"a":"}{","b":"\"]"}{"a":"[","b":"\\"}`, "a:text b:text", `"}{"|"\"]"| "["|"\\"|`},
		{"no members", `{}{}`, "value:json", `"{}"| "{}"|`},
		{"paths", `{"a":{"b":1,"c":{"d":"x"}},"e":2}{"e":3,"a":{"c":{"d":"y","f":[1]},"b":null}}`, "a.b:bigint a.c.d:text a.c.f:json e:bigint",
			`"1"|"x"|<null>|"2"| <null>|"y"|"[1]"|"3"|`},
		{"paths where objects are null or missing", `{"a":{"b":1}}{"a":null}{"a":{}}{}`, "a.b:bigint", `"1"| <null>| <null>| <null>|`},
		{"no paths of objects without members", `{"a":{}}{"a":{}}`, "a:json", `"{}"| "{}"|`},
		{"no paths where kinds meet", `{"a":{"b":1}}{"a":[1]}`, "a:json", `"{\"b\": 1}"| "[1]"|`},
		{"paths meet names", `{"a":{"b":1},"a.b":2,"A":3}`, "a.b:bigint a.b_2:bigint A:bigint", `"1"|"2"|"3"|`},
		{"repeated objects", `{"a":{"b":1},"a":{"c":2}}{"a":{"b":3},"a":null}`, "a.b:bigint a.c:bigint", `<null>|"2"| <null>|<null>|`},
	} {
		for _, size := range []int{0, 1, 7} {
			tab := open(t, tempFile(t, "x.json", c.text), chunked(size))
			if got := schemaText(tab); got != c.schema {
				t.Errorf("%s in chunks of %d: %s, want %s", c.name, size, got, c.schema)
				continue
			}
			if got := strings.Join(rowsOf(t, tab, catalog.ScanSpec{BatchSize: 2}), " "); got != c.rows {
				t.Errorf("%s in chunks of %d:\n got %s\nwant %s", c.name, size, got, c.rows)
			}
			if s := tab.Stats(); !s.Exact || int(s.Rows) != len(strings.Split(c.rows, "| ")) {
				t.Errorf("%s: statistics %+v", c.name, s)
			}
		}
	}
	nested := tempFile(t, "x.json", `{"a":{"b":1,"c":2}}`)
	for options, want := range map[string]string{"?paths=no": `a:json "{\"b\": 1, \"c\": 2}"|`, "?types=a:json": `a:json "{\"b\": 1, \"c\": 2}"|`, "?types=a.c:decimal(3,1)": `a.b:bigint a.c:decimal(3,1) "1"|"2.0"|`} {
		tab := open(t, nested+options, Options{})
		if got := schemaText(tab) + " " + strings.Join(rowsOf(t, tab, catalog.ScanSpec{}), " "); got != want {
			t.Errorf("%s: %s, want %s", options, got, want)
		}
	}
	tab := open(t, tempFile(t, "x.ndjson", "[1]\n[2]\n"), Options{})
	if got := strings.Join(rowsOf(t, tab, catalog.ScanSpec{}), " "); got != `"[1]"| "[2]"|` {
		t.Errorf("arrays on lines: %s", got)
	}
}

// randomDocument returns a value of random kind.
func randomDocument(r *rand.Rand, depth int) any {
	switch k := r.IntN(9); {
	case k == 0:
		return nil
	case k == 1:
		return r.IntN(2) == 0
	case k < 4:
		return r.Int64N(1e12) - 5e11
	case k == 4:
		return float64(r.IntN(1000)) / 8
	case k < 7 || depth > 3:
		return []string{"", `"`, `\`, "ü", "a\nb", "}{][", `\"`, "plain text of some length"}[r.IntN(8)]
	case k == 7:
		list := make([]any, r.IntN(4))
		for i := range list {
			list[i] = randomDocument(r, depth+1)
		}
		return list
	}
	m := map[string]any{}
	for range r.IntN(4) {
		m[string(rune('a'+r.IntN(6)))] = randomDocument(r, depth+1)
	}
	return m
}

// TestJSONAsStandard reads random documents, as an array, as lines and spread out, and compares every
// value with what encoding/json reads.
func TestJSONAsStandard(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	for round := range 40 {
		var docs []map[string]any
		var lines, spread bytes.Buffer
		for range 1 + r.IntN(60) {
			doc := map[string]any{}
			for k := range r.IntN(5) {
				doc[fmt.Sprint("k", k+r.IntN(3))] = randomDocument(r, 0)
			}
			text, _ := stdjson.Marshal(doc)
			lines.Write(append(text, '\n'))
			_ = stdjson.Indent(&spread, text, " ", "\t")
			docs = append(docs, doc)
		}
		array, _ := stdjson.Marshal(docs)
		for name, text := range map[string]string{"x.ndjson": lines.String(), "x.json": string(array), "y.json.gz": string(array), "z.json": spread.String()} {
			path := tempFile(t, strings.TrimSuffix(name, ".gz"), text)
			if strings.HasSuffix(name, ".gz") {
				path = compressed(t, path, ".gz")
			}
			tab := open(t, path, chunked(1+r.IntN(200)))
			cols, row := tab.Schema().Columns, 0
			cols = cols[:len(cols)-2] // without the path and the number of the row
			some := r.Perm(len(cols))[:1+r.IntN(len(cols))]
			eachRow(t, tab, catalog.ScanSpec{BatchSize: 1 + r.IntN(9), Columns: some}, func(b *vecBatch, i int) {
				for k, c := range some {
					want, d := memberOf(docs[row], cols[c].Name), catalog.DatumAt(b.Cols[k], i)
					if cols[c].Name == "value" {
						want = docs[row]
					}
					if err := sameValue(&d, want); err != nil {
						t.Fatalf("round %d, %s, row %d, column %s %s: %v", round, name, row, cols[c].Name, cols[c].Type, err)
					}
				}
				row++
			})
			if row != len(docs) {
				t.Fatalf("%s: %d rows of %d", name, row, len(docs))
			}
		}
	}
}

// memberOf returns the value at a path such as a.b, or nil.
func memberOf(doc map[string]any, path string) any {
	name, rest, nested := strings.Cut(path, ".")
	if !nested {
		return doc[name]
	}
	inner, _ := doc[name].(map[string]any)
	return memberOf(inner, rest)
}

// sameValue compares a value of a column with one of encoding/json.
func sameValue(d *catalog.Datum, want any) error {
	if want == nil || d.Null {
		if want != nil || !d.Null {
			return fmt.Errorf("%s, want %v", d.Text(), want)
		}
		return nil
	}
	text, _ := stdjson.Marshal(want)
	got := d.Text()
	switch w := want.(type) {
	case string:
		if d.Type.String() != "json" {
			text = []byte(w)
		}
	case bool:
		if d.Type.String() != "json" {
			text = []byte(map[bool]string{true: "1", false: "0"}[w])
		}
	}
	if d.Type.String() == "json" {
		a, err := json.Parse(got)
		b, err2 := json.Parse(string(text))
		if err != nil || err2 != nil || !json.Equal(a, b) {
			return fmt.Errorf("%s, want %s", got, text)
		}
		return nil
	}
	if got != string(text) {
		return fmt.Errorf("%s, want %s", got, text)
	}
	return nil
}

// TestDamagedJSON checks the errors of files that are no JSON, and that each names the line.
func TestDamagedJSON(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200)
	for _, c := range []struct {
		text string
		code sqlerr.Code
		says string
	}{
		{"", sqlerr.FileCorrupt, "no values"}, {"  \n", sqlerr.FileCorrupt, "no values"}, {"[]", sqlerr.FileCorrupt, "no values"},
		{"[", sqlerr.FileCorrupt, "cut short"}, {`[{"a":1}`, sqlerr.FileCorrupt, "cut short"}, {`[{"a":1},`, sqlerr.FileCorrupt, ""},
		{`{"a":1}` + "\n" + `{"a":`, sqlerr.FileCorrupt, "line 2"}, {`{"a":1}` + "\n\n" + `{"a" 1}`, sqlerr.FileCorrupt, "line 3"},
		{`[{"a":1} {"a":2}]`, sqlerr.FileCorrupt, "comma"}, {`[{"a":1},]`, sqlerr.FileCorrupt, "not valid"}, {`[{"a":1}]{"a":2}`, sqlerr.FileCorrupt, "follows the array"},
		{`{"a":1},{"a":2}`, sqlerr.FileCorrupt, "not valid"}, {"{\"a\":\"\xff\"}", sqlerr.FileCorrupt, "UTF-8"}, {`{"a":1e999}`, sqlerr.FileCorrupt, "too big"},
		{`{'a':1}`, sqlerr.FileCorrupt, "not valid"}, {"plain text", sqlerr.FileCorrupt, "not valid"}, {`{"a":01}`, sqlerr.FileCorrupt, ""},
		{deep, sqlerr.JSONTooDeep, "depth"}, {strings.Repeat("[", 1<<20), sqlerr.JSONTooDeep, ""}, {strings.Repeat(`{"a":`, 1<<18), sqlerr.JSONTooDeep, ""},
	} {
		for _, size := range []int{0, 5} {
			if size > 0 && len(c.text) > 1<<12 {
				continue
			}
			err := readAll(tempFile(t, "x.json", c.text), chunked(size))
			var e *sqlerr.Error
			if !errors.As(err, &e) || e.Code != c.code || !strings.Contains(e.Msg, c.says) {
				t.Errorf("%.40q in chunks of %d: %v, want %d with '%s'", c.text, size, err, c.code, c.says)
			}
		}
	}
	many := strings.Builder{}
	for i := range 5000 {
		fmt.Fprintf(&many, `{"k%d":1}`, i)
	}
	if err := readAll(tempFile(t, "x.json", many.String()), Options{}); !errors.Is(err, sqlerr.TooManyFields) {
		t.Errorf("5000 names: %v", err)
	}
}

// TestJSONMaps checks that objects with very many members are not taken apart, in whichever order the members come.
func TestJSONMaps(t *testing.T) {
	lines := make([]string, 300)
	for i := range lines {
		lines[i] = fmt.Sprintf(`{"few":{"n":%d},"many":{"k%d":1,"k%d":{"x":2}}}`, i, i, i+1)
	}
	for _, size := range []int{0, 64, 4000} {
		tab := open(t, tempFile(t, "x.json", strings.Join(lines, "\n")), chunked(size))
		if got := schemaText(tab); got != "few.n:bigint many:json" {
			t.Errorf("in chunks of %d: %s", size, got)
		}
		if rows := rowsOf(t, tab, catalog.ScanSpec{}); rows[7] != `"7"|"{\"k7\": 1, \"k8\": {\"x\": 2}}"|` {
			t.Errorf("in chunks of %d: %s", size, rows[7])
		}
	}
	wide := strings.Builder{} // many objects of few members each
	for i := range 3000 {
		fmt.Fprintf(&wide, `{"o%d":{"a":1,"b":2}}`, i)
	}
	if tab := open(t, tempFile(t, "y.json", wide.String()), Options{}); len(tab.Schema().Visible()) != 3000 {
		t.Errorf("%d columns", len(tab.Schema().Visible()))
	}
}

// TestJSONWithinLimit checks that a value that takes more than the memory limit is refused, however
// small the file is, and that reading ends with its context.
func TestJSONWithinLimit(t *testing.T) {
	text := `{"a":"` + strings.Repeat("x", 64<<20) + `"}`
	path := compressed(t, tempFile(t, "x.json", text), ".gz")
	account := mem.NewRoot("test", 16<<20)
	_, err := Open(context.Background(), path, Options{Mem: account})
	if !errors.Is(err, sqlerr.OutOfMemory) {
		t.Errorf("a value of 64 MB: %v", err)
	}
	if n := account.Used(); n != 0 {
		t.Errorf("%d bytes remain charged", n)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(10*time.Millisecond, cancel)
	endless := tempFile(t, "y.json", "")
	f, _ := os.Create(endless)
	_ = f.Truncate(8 << 30) // zero bytes, which are no JSON, or blanks in a file that is not sparse
	f.Close()
	if _, err := Open(ctx, endless, Options{}); err == nil {
		t.Error("a file of zeros was opened")
	}
}

// TestUnifiedJSON reads several files, whose members and types differ, as one table.
func TestUnifiedJSON(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.json": `[{"a":1}]`, "b.ndjson": `{"b":true,"a":2.5}` + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tab := open(t, filepath.Join(dir, "*json"), Options{})
	if got := schemaText(tab); got != "a:double b:tinyint(1)" {
		t.Error(got)
	}
	if got := strings.Join(rowsOf(t, tab, catalog.ScanSpec{}), " "); got != `"1"|<null>| "2.5"|"1"|` {
		t.Error(got)
	}
}
