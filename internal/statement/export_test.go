package statement

import (
	"context"
	"strings"

	"github.com/pingcap/tidb/pkg/parser/format"

	"gsql/internal/plancache"
	"gsql/sql/parse"
)

// RunTree runs a text of one statement, whatever its outcome, and returns its syntax tree
// as SQL before and after. ok is false for statements whose trees are not kept.
func (c *Connection) RunTree(text string) (before, after string, ok bool) {
	c.s.Mode = c.s.Settings().Mode
	texts, key := &plancache.Texts{}, plancache.TextKey{Text: text, Mode: c.s.Mode}
	if first, err := texts.Parse(key); err != nil || len(first) != 1 {
		return "", "", false
	}
	stmts, err := texts.Parse(key)
	if err != nil {
		return "", "", false
	}
	if ok = texts.Kept(key, stmts[0].Node); ok {
		before = restore(stmts[0])
	}
	res, err := c.execute(context.Background(), stmts, nil)
	for err == nil {
		if b, nerr := res.NextBatch(); nerr != nil || b == nil {
			break
		}
	}
	if res != nil {
		_ = res.Close() // the tree is what matters
	}
	if ok {
		after = restore(stmts[0])
	}
	return before, after, ok
}

func restore(s parse.Statement) string {
	var out strings.Builder
	if err := s.Node.Restore(format.NewRestoreCtx(format.DefaultRestoreFlags, &out)); err != nil {
		return err.Error()
	}
	return out.String()
}
