package plancache

import (
	"hash/maphash"

	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/parse"
	"gsql/sql/sqlmode"
)

// Limits on what a connection keeps.
const (
	maxKept     = 128     // statements
	maxKeptText = 4 << 10 // bytes of one
	seenTexts   = 256     // hashes of texts sent once
)

// Texts keeps the syntax trees of texts that a connection has sent more than once, so that they are
// parsed once. For a text sent for the first time, only its hash is kept. Trees are never changed
// once parsed. The zero value is empty. Not safe for concurrent use.
type Texts struct {
	seed maphash.Seed
	seen []uint64 // seenTexts slots, by hash
	kept map[TextKey]parse.Statement
}

// TextKey is what a syntax tree depends on.
type TextKey struct {
	Text string
	Mode sqlmode.Mode
}

// Parse returns the statements of a text and keeps them if they are worth keeping.
func (t *Texts) Parse(key TextKey) ([]parse.Statement, error) {
	if s, ok := t.kept[key]; ok {
		return []parse.Statement{s}, nil
	}
	out, err := parse.Parse(key.Text, key.Mode)
	if err == nil {
		t.add(key, out)
	}
	return out, err
}

// Kept reports whether n is the kept tree of a text.
func (t *Texts) Kept(key TextKey, n ast.Node) bool {
	known, ok := t.kept[key]
	return ok && known.Node == n
}

// add keeps a parsed text if it was sent before and is a single statement that reads or changes
// rows.
func (t *Texts) add(key TextKey, parsed []parse.Statement) {
	if len(parsed) != 1 || len(key.Text) > maxKeptText {
		return
	}
	switch n := parsed[0].Node.(type) {
	case *ast.SelectStmt, *ast.SetOprStmt:
		if into := IntoClause(n); into != nil && *into != nil { // execution removes it from the tree
			return
		}
	case *ast.InsertStmt, *ast.UpdateStmt, *ast.DeleteStmt:
	default:
		return
	}
	if t.kept == nil {
		t.seed, t.seen, t.kept = maphash.MakeSeed(), make([]uint64, seenTexts), map[TextKey]parse.Statement{}
	}
	h := maphash.Comparable(t.seed, key)
	if slot := &t.seen[h%seenTexts]; *slot != h {
		*slot = h
		return
	}
	if len(t.kept) >= maxKept {
		clear(t.kept)
	}
	t.kept[key] = parsed[0]
}

// IntoClause returns where a query has its INTO clause, or nil if it can have none. The clause of a
// set operation is in its last SELECT.
func IntoClause(n ast.Node) **ast.SelectIntoOption {
	switch n := n.(type) {
	case *ast.SelectStmt:
		return &n.SelectIntoOpt
	case *ast.SetOprStmt:
		list := n.SelectList.Selects
		if last, ok := list[len(list)-1].(*ast.SelectStmt); ok && !last.IsInBraces {
			return IntoClause(last)
		}
	}
	return nil
}
