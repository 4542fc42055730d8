package binder

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// window is a window's specification, those it inherits included.
type window struct {
	name      string // for messages
	spec      *ast.WindowSpec
	state     windowState
	partition []expr.Expr
	order     []expr.SortKey
	frame     *expr.Frame
}

// windowState tells how far a named window is resolved.
type windowState uint8

const (
	unresolved windowState = iota
	resolving
	resolved
)

const unnamedWindow = "<unnamed window>"

// bindWindows makes window functions possible in the block and binds the WINDOW
// clause; windows that no function uses are checked too.
func (b *block) bindWindows(specs []ast.WindowSpec) error {
	b.windows = &windowing{}
	if len(specs) > 0 {
		b.windows.named = make(map[string]*window, len(specs))
	}
	for i := range specs {
		name := specs[i].Name
		if b.windows.named[name.L] != nil {
			return sqlerr.New(sqlerr.WindowDuplicateName, "Window '%s' is defined twice.", name.O).At(b.find("WINDOW", 0))
		}
		b.windows.named[name.L] = &window{name: name.O, spec: &specs[i]}
	}
	for i := range specs {
		if _, err := b.namedWindow(specs[i].Name, -1); err != nil {
			return err
		}
	}
	return nil
}

// namedWindow gives a window of the WINDOW clause.
func (b *block) namedWindow(name ast.CIStr, pos int) (*window, error) {
	w := b.windows.named[name.L]
	if w == nil {
		return nil, sqlerr.New(sqlerr.WindowUnknown, "Window name '%s' is not defined.", name.O).At(pos)
	}
	switch w.state {
	case resolving:
		return nil, sqlerr.New(sqlerr.WindowCircular, "There is a circularity in the window dependency graph.").At(b.find("WINDOW", 0))
	case resolved:
		return w, nil
	}
	w.state = resolving
	if err := b.resolveWindow(w, b.find(w.name, b.find("WINDOW", 0))); err != nil {
		return nil, err
	}
	w.state = resolved
	return w, nil
}

// windowOf gives the window behind OVER: a named one, or a specification.
func (b *block) windowOf(spec *ast.WindowSpec, pos int) (*window, error) {
	if spec.OnlyAlias {
		return b.namedWindow(spec.Name, pos)
	}
	w := &window{name: unnamedWindow, spec: spec}
	return w, b.resolveWindow(w, pos)
}

// resolveWindow binds a specification.
func (b *block) resolveWindow(w *window, pos int) error {
	if w.spec.Ref.L != "" {
		if err := b.inherit(w, pos); err != nil {
			return err
		}
	}
	oldSpec := b.inSpec
	b.inSpec = w.name
	defer func() { b.inSpec = oldSpec }()
	if w.spec.PartitionBy != nil {
		keys, err := b.windowKeys(w, w.spec.PartitionBy.Items, windowPartition, pos)
		if err != nil {
			return err
		}
		for _, k := range keys {
			w.partition = append(w.partition, k.Expr)
		}
	}
	if w.spec.OrderBy != nil {
		var err error
		if w.order, err = b.windowKeys(w, w.spec.OrderBy.Items, windowOrder, pos); err != nil {
			return err
		}
	}
	return b.bindFrame(w, pos)
}

// inherit takes partition and order of the window that w names.
func (b *block) inherit(w *window, pos int) error {
	parent, err := b.namedWindow(w.spec.Ref, pos)
	switch {
	case err != nil:
		return err
	case w.spec.PartitionBy != nil:
		return sqlerr.New(sqlerr.WindowChildPartitioning, "A window which depends on another cannot define partitioning.").At(pos)
	case parent.spec.Frame != nil:
		return sqlerr.New(sqlerr.WindowInheritsFrame, "Window '%s' has a frame definition, so cannot be referenced by another window.", parent.name).At(pos).
			WithHint("OVER %s, without parentheses, takes the window with its frame.", parent.name)
	case w.spec.OrderBy != nil && len(parent.order) > 0:
		return sqlerr.New(sqlerr.WindowRedefinesOrder, "Window '%s' cannot inherit '%s' since both contain an ORDER BY clause.", w.name, parent.name).At(pos)
	}
	w.partition, w.order = parent.partition, parent.order
	return nil
}

// windowKeys binds PARTITION BY or ORDER BY of a window, which see neither aliases nor
// ordinals.
func (b *block) windowKeys(w *window, items []*ast.ByItem, at clause, pos int) ([]expr.SortKey, error) {
	defer b.enter(at, true)()
	keys := make([]expr.SortKey, len(items))
	for i, it := range items {
		if p, ok := it.Expr.(*ast.PositionExpr); ok {
			if p.P == nil {
				return nil, sqlerr.New(sqlerr.WindowIllegalOrderBy, "Window '%s': ORDER BY or PARTITION BY uses legacy position indication which is not supported, use expression.", w.name).At(pos)
			}
			return nil, sqlerr.Unsupported(pos, "a parameter as %s", at)
		}
		e, err := b.expr(it.Expr)
		if err != nil {
			return nil, err
		}
		if e, err = b.regroup(e); err != nil {
			return nil, err
		}
		keys[i] = expr.SortKey{Expr: expr.Sortable(e), Desc: it.Desc}
	}
	return keys, nil
}
