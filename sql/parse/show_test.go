package parse

import (
	"testing"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// TestShowForms parses forms of SHOW and DESCRIBE that the grammar does not support.
func TestShowForms(t *testing.T) {
	for text, tp := range map[string]ast.ShowStmtType{
		"SHOW STORAGE ENGINES":             ast.ShowEngines,
		"show full triggers from a":        ast.ShowTriggers,
		"SHOW EXTENDED FULL TABLES":        ast.ShowTables,
		"SHOW EXTENDED INDEX FROM t":       ast.ShowIndex,
		"SHOW LOCAL VARIABLES LIKE 'a'":    ast.ShowVariables,
		"SHOW LOCAL STATUS":                ast.ShowStatus,
		"SHOW WARNINGS LIMIT 2, 10":        ast.ShowWarnings,
		"SHOW ERRORS LIMIT 10 OFFSET 2":    ast.ShowErrors,
		"DESCRIBE `a b`.t 'x%'":            ast.ShowColumns,
		"/*!40101 SHOW STORAGE ENGINES */": ast.ShowEngines,
	} {
		stmts, err := Parse(text, 0)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		show, ok := stmts[0].Node.(*ast.ShowStmt)
		if !ok || show.Tp != tp {
			t.Errorf("%s: %#v", text, stmts[0].Node)
			continue
		}
		if show.Limit != nil && (show.Limit.Count.(*Literal).Value != uint64(10) || show.Limit.Offset.(*Literal).Value != uint64(2)) {
			t.Errorf("%s: limit %v, %v", text, show.Limit.Count, show.Limit.Offset)
		}
	}
	for _, text := range []string{"SHOW STORAGE", "SHOW LOCAL TABLES", "SHOW WARNINGS LIMIT", "SHOW TABLES LIMIT 1", "DESC t 'a' 'b'"} {
		if _, err := Parse(text, 0); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}

// TestVersionComments checks that a version comment around a statement is kept as part of it.
func TestVersionComments(t *testing.T) {
	const text = "/*!40101 SET @a = 1 */;\n/*!40014 SET @b = 2 */; SELECT 1 /*! + 1 */; /*!50000 SELECT 2 */"
	stmts, rest := Split(text, 0)
	want := []string{"/*!40101 SET @a = 1 */", "/*!40014 SET @b = 2 */", "SELECT 1 /*! + 1 */"}
	if len(stmts) != len(want) || rest != "/*!50000 SELECT 2 */" {
		t.Fatalf("%+v, rest %q", stmts, rest)
	}
	for i := range want {
		if stmts[i].Text != want[i] || text[stmts[i].Offset:][:len(want[i])] != want[i] {
			t.Errorf("piece %d is %+v", i, stmts[i])
		}
	}
	if _, err := Parse(text, 0); err != nil {
		t.Error(err)
	}
}
