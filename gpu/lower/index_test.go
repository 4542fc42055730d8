package lower_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gsql"
	"gsql/gpu/lower"
	"gsql/gpu/pipeline"
	"gsql/internal/sqltest"
)

// fillKeyed makes p with a primary key, q with keys that are unique, r with one key that repeats among
// unique ones, and m, with many rows for a key. Keys are far apart except for those of p.
func fillKeyed(t *testing.T, s *gsql.Session) {
	t.Helper()
	sqltest.Run(t, s, `CREATE TABLE p (k INT PRIMARY KEY, v INT, w BIGINT NOT NULL, c VARCHAR(10)); CREATE TABLE q (k BIGINT NOT NULL, v INT, w BIGINT NOT NULL, c VARCHAR(10));
		CREATE TABLE r (k BIGINT NOT NULL, v INT, w BIGINT NOT NULL, c VARCHAR(10)); CREATE TABLE m (a INT, b BIGINT, x INT NOT NULL);
		CREATE TABLE n (k INT NOT NULL, v INT)`)
	var p, q, r, m, n []string
	for i := range 300 {
		rest := fmt.Sprintf("%d, %d, '%c'", i%90-40, int64(i)<<33, 'a'+i%7)
		if i%11 == 0 {
			rest = "NULL, 5, NULL"
		}
		p = append(p, fmt.Sprintf("(%d, %s)", i, rest))
		q = append(q, fmt.Sprintf("(%d, %s)", i*7919999, rest))
		r = append(r, fmt.Sprintf("(%d, %s)", max(i, 1)*7919999, rest))
		for j := range 10 {
			n = append(n, fmt.Sprintf("(%d, %d)", i*310+j*31, i))
		}
		for j := range 3 {
			m = append(m, fmt.Sprintf("(%d, %d, %d)", (i*7+j)%400, int64((i*5+j)%400)*7919999, i*3+j))
		}
	}
	m = append(m, "(NULL, NULL, 1000)")
	for name, rows := range map[string][]string{"p": p, "q": q, "r": r, "m": m, "n": n} {
		sqltest.Run(t, s, "INSERT INTO "+name+" VALUES "+strings.Join(rows, ","))
	}
}

// TestIndexes checks what indexes of joins have for each key, and the answers.
func TestIndexes(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	fillKeyed(t, s)
	host := hostColumns{}
	for _, tt := range []struct{ sql, want string }{
		{"SELECT m.x, p.v FROM m JOIN p ON m.a = p.k", "direct values"},
		{"SELECT m.x, p.v, p.c FROM m JOIN p ON m.a = p.k WHERE p.v > 0 OR p.c = 'b'", "direct values"},
		{"SELECT m.x, p.v, p.c FROM m LEFT JOIN p ON m.a = p.k AND p.v > m.x", "direct values"},
		{"SELECT m.x, p.w FROM m JOIN p ON m.a = p.k", "direct rows"},
		{"SELECT m.x FROM m JOIN p ON m.a = p.k", "direct set"},
		{"SELECT m.x, p.v + 1000 FROM m JOIN (SELECT k, v * 3 v FROM p) p ON m.a = p.k", "direct values"},
		{"SELECT m.x FROM m JOIN n ON m.a = n.k", "direct set, seems unique"}, // keys that are too far apart for rows
		{"SELECT m.x, n.v FROM m JOIN n ON m.a = n.k", "hash values, seems unique"},
		{"SELECT m.x, q.v FROM m JOIN q ON m.b = q.k", "hash values, seems unique"},
		{"SELECT m.x, q.v, q.c FROM m LEFT JOIN q ON m.b = q.k", "hash values, seems unique"},
		{"SELECT m.x, q.w FROM m JOIN q ON m.b = q.k", "hash rows, seems unique"},
		{"SELECT m.x FROM m JOIN q ON m.b = q.k", "hash set, seems unique"},
		{"SELECT m.x, r.v FROM m JOIN r ON m.b = r.k", "hash values, seems unique"},
		{"SELECT m.x, r.w FROM m LEFT JOIN r ON m.b = r.k", "hash rows, seems unique"},
		{"SELECT m.x FROM m JOIN r ON m.b = r.k", "hash set, seems unique"},
		{"SELECT m.x FROM m WHERE EXISTS (SELECT 1 FROM r WHERE m.b = r.k)", "hash set"},
		{"SELECT m.x FROM m JOIN q ON m.b = q.k WHERE m.x < 200", "hash set, seems unique"}, // q has more rows
		{"SELECT m.x, n.x FROM m JOIN m n ON m.b = n.b", "hash chains"},
	} {
		root := planOf(t, s, tt.sql)
		compare(t, root, host)
		q, err := lower.Lower(root, host)
		if err != nil {
			t.Errorf("%s: %v", tt.sql, err)
			continue
		}
		if got := contents(q.Program); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.sql, got, tt.want)
		}
		_, full := lines(t, q, host)
		if repeats := strings.Contains(tt.sql, "JOIN r"); full != repeats {
			t.Errorf("%s: keys repeat: %t", tt.sql, full)
		}
	}
}

// TestDistinctJoins checks that keys of joined tables seem unique if they are in each table.
func TestDistinctJoins(t *testing.T) {
	s := sqltest.Open(t, gsql.Config{})
	fillKeyed(t, s)
	host := hostColumns{}
	for _, tt := range []struct {
		sql    string
		chains bool
	}{
		{"SELECT SUM(m.x) FROM m JOIN q ON m.b = q.k JOIN q p ON p.k = q.k", false},
		{"SELECT SUM(m.x), SUM(q.v) FROM m JOIN (SELECT q.k, q.v FROM q LEFT JOIN q p ON p.k = q.k AND p.v > q.v WHERE EXISTS (SELECT 1 FROM m n WHERE n.b = q.k)) q ON m.b = q.k", false},
		{"SELECT SUM(m.x), SUM(q.x) FROM m JOIN (SELECT q.k, n.x FROM q JOIN m n ON n.b = q.k) q ON m.b = q.k", true},
	} {
		root := planOf(t, s, tt.sql)
		if _, refused := compare(t, root, host); len(refused) > 0 {
			t.Errorf("%s: %q", tt.sql, refused)
			continue
		}
		q, err := lower.Lower(root, host)
		if err != nil {
			t.Fatal(err)
		}
		chains := slices.ContainsFunc(q.Program.Indexes, func(x pipeline.Index) bool { return x.Next != pipeline.None })
		if chains != tt.chains {
			t.Errorf("%s: chains of rows: %t, want %t", tt.sql, chains, tt.chains)
		}
	}
}

// contents describes the only index of a program.
func contents(p *pipeline.Program) string {
	x := p.Indexes[0]
	out := "direct"
	if x.Hash {
		out = "hash"
	}
	switch rows := x.Heads != pipeline.None || x.Rows; {
	case x.Next != pipeline.None:
		out += " chains"
	case !rows:
		out += " set"
	case p.Pipelines[0].Sink.Value != nil:
		out += " values"
	default:
		out += " rows"
	}
	if x.Unique {
		out += ", seems unique"
	}
	return out
}
