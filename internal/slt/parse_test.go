package slt

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/sql/catalog"
	"gsql/sql/types"
)

const sample = `# a comment
hash-threshold 8

statement ok
CREATE TABLE t1(a INTEGER,
# inside
b INTEGER)

onlyif sqlite # note
statement ok
PRAGMA x

skipif mysql
onlyif other
query I
SELECT 1
----
1

skipif postgresql # note
query IT rowsort label-1
SELECT a,
b FROM t1
----
1
x

statement error
SELECT nope

query R valuesort
SELECT 2
----
9 values hashing to 60b725f10c9c85c70d97880dfe8191b3

onlyif mysql
halt

statement ok
SELECT 'never'
`

func TestParseRules(t *testing.T) {
	records, err := Parse(strings.NewReader(strings.ReplaceAll(sample, "\n", "\r\n")), "mysql")
	if err != nil {
		t.Fatal(err)
	}
	if len(records) != 7 {
		t.Fatalf("%d records, want 7: %+v", len(records), records)
	}
	if got := records[0].SQL; got != "CREATE TABLE t1(a INTEGER,\nb INTEGER)" {
		t.Errorf("comment inside a record: %q", got)
	}
	if !records[1].Skip || !records[2].Skip {
		t.Error("conditions must stack and skip for mysql")
	}
	q := records[3]
	if q.Skip || q.Types != "IT" || q.Sort != RowSort || q.Label != "label-1" || q.SQL != "SELECT a,\nb FROM t1" || len(q.Expected) != 2 {
		t.Errorf("query record: %+v", q)
	}
	if !records[4].WantError || records[4].Line != 28 {
		t.Errorf("statement error: %+v", records[4])
	}
	if h := records[5]; h.Count != 9 || h.Hash != "60b725f10c9c85c70d97880dfe8191b3" || h.Sort != ValueSort {
		t.Errorf("hash record: %+v", h)
	}
	if !records[6].Halt {
		t.Error("halt under onlyif mysql must end the file")
	}
}

func TestParseRefusesNonsense(t *testing.T) {
	for _, text := range []string{"statement maybe\nSELECT 1\n", "query X\nSELECT 1\n", "query I sideways\nSELECT 1\n", "frobnicate\n", "skipif\nhalt\n"} {
		if _, err := Parse(strings.NewReader(text), "mysql"); err == nil {
			t.Errorf("no error for %q", text)
		}
	}
}

func TestFormatValue(t *testing.T) {
	dec := func(n int64, scale uint8) catalog.Datum {
		return catalog.Datum{Type: types.Type{ID: types.Decimal, Prec: 20, Scale: scale}, Dec: decimal128.FromI64(n)}
	}
	for _, c := range []struct {
		d      catalog.Datum
		letter byte
		want   string
	}{
		{catalog.NullOf(types.T(types.Int64)), 'I', "NULL"},
		{catalog.Int(-7), 'I', "-7"},
		{catalog.Int(-7), 'R', "-7.000"},
		{dec(-48125, 4), 'R', "-4.812"}, // binary ties go to even, as C's printf rounds
		{dec(7200, 2), 'I', "72"},
		{catalog.Str(""), 'T', "(empty)"},
		{catalog.Str("a\tb\x7f"), 'T', "a@b@"},
		{catalog.Str("naïve"), 'T', "na@@ve"}, // a character of two bytes
	} {
		if got := string(appendValue(nil, c.d, c.letter)); got != c.want {
			t.Errorf("%+v as %c is %q, want %q", c.d, c.letter, got, c.want)
		}
	}
}

func TestSortModes(t *testing.T) {
	rows := []string{"9", "a", "10", "b", "10", "a"}
	for _, c := range []struct {
		mode SortMode
		want string
	}{{NoSort, "9 a 10 b 10 a"}, {RowSort, "10 a 10 b 9 a"}, {ValueSort, "10 10 9 a a b"}} {
		if got := strings.Join(new(formatter).sortValues(rows, 2, c.mode), " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.mode, got, c.want)
		}
	}
	long := []string{"12345678a", "12345678", "12345678\x00", "1234567"} // alike in eight bytes
	if got := strings.Join(new(formatter).sortValues(long, 1, RowSort), " "); got != "1234567 12345678 12345678\x00 12345678a" {
		t.Errorf("long values: %q", got)
	}
	if got := new(formatter).hash([]string{"1", "2"}); got != "6ddb4095eb719e2a9f0a3f95677d24e0" { // printf '1\n2\n' | md5sum
		t.Errorf("hash: %s", got)
	}
}
