package gsql

import (
	"hash/maphash"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/parse"
	"gsql/sql/sqlmode"
)

// What a connection keeps of the statements it has parsed.
const (
	maxKept     = 128     // statements
	maxKeptText = 4 << 10 // bytes of one
	seenTexts   = 256     // hashes of texts met once
)

// statements remembers the syntax trees of texts that a connection has sent more than
// once, so that they are parsed once. A text met for the first time leaves only its
// hash. Nothing changes a tree once it is parsed; names are resolved and plans made at
// every execution, as they depend on the tables of the moment (but see plans).
type statements struct {
	seed maphash.Seed
	seen []uint64 // seenTexts places, by hash
	kept map[statementKey]statement
}

// statementKey is what a tree depends on.
type statementKey struct {
	text string
	mode sqlmode.Mode
}

// get gives the statement of a text, if it is known.
func (c *statements) get(key statementKey) ([]statement, bool) {
	s, ok := c.kept[key]
	if !ok {
		return nil, false
	}
	return []statement{s}, true
}

// add keeps a parsed text when it was met before and is a statement that reads or
// changes rows.
func (c *statements) add(key statementKey, parsed []statement) {
	if len(parsed) != 1 || len(key.text) > maxKeptText {
		return
	}
	switch n := parsed[0].Node.(type) {
	case *ast.SelectStmt, *ast.SetOprStmt:
		if into := intoClause(n); into != nil && *into != nil { // which running it takes off
			return
		}
	case *ast.InsertStmt, *ast.UpdateStmt, *ast.DeleteStmt:
	default:
		return
	}
	if c.kept == nil {
		c.seed, c.seen, c.kept = maphash.MakeSeed(), make([]uint64, seenTexts), map[statementKey]statement{}
	}
	h := maphash.Comparable(c.seed, key)
	if place := &c.seen[h%seenTexts]; *place != h {
		*place = h
		return
	}
	if len(c.kept) >= maxKept {
		clear(c.kept)
	}
	c.kept[key] = parsed[0]
}

// statements gives the statements of a text, parsed as mode says.
func (s *Session) statements(text string, mode sqlmode.Mode) ([]statement, error) {
	key := statementKey{text, mode}
	s.sent = key
	if out, ok := s.parsed.get(key); ok {
		return out, nil
	}
	out, err := parse.Parse(text, mode)
	if err == nil {
		s.parsed.add(key, out)
	}
	return out, err
}
