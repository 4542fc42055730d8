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
			cols, row := tab.Schema().Visible(), 0
			eachRow(t, tab, catalog.ScanSpec{BatchSize: 1 + r.IntN(9)}, func(b *vecBatch, i int) {
				for c := range cols {
					want, d := docs[row][cols[c].Name], catalog.DatumAt(b.Cols[c], i)
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
