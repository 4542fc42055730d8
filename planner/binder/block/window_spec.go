package block

import (
	"github.com/pingcap/tidb/pkg/parser/ast"

	"gsql/planner/binder/scope"
	"gsql/sql/expr"
	"gsql/sql/sqlerr"
)

// window is a window's specification, including inherited parts.
type window struct {
	name      string // for messages
	spec      *ast.WindowSpec
	state     windowState
	partition []expr.Expr
	order     []expr.SortKey
	frame     *expr.Frame
}

// windowState is the progress in resolving a named window.
type windowState uint8

const (
	unresolved windowState = iota
	resolving
	resolved
)

const unnamedWindow = "<unnamed window>"

// bindWindows allows window functions in the block and binds the WINDOW clause. It also checks windows that no
// function uses.
func (b *Block) bindWindows(specs []ast.WindowSpec) error {
	w := &windowing{b: b}
	b.windows = w
	if len(specs) > 0 {
		w.named = make(map[string]*window, len(specs))
	}
	for i := range specs {
		name := specs[i].Name
		if w.named[name.L] != nil {
			return sqlerr.New(sqlerr.WindowDuplicateName, "Window '%s' is defined twice.", name.O).At(b.Find("WINDOW", 0))
		}
		w.named[name.L] = &window{name: name.O, spec: &specs[i]}
	}
	for i := range specs {
		if _, err := w.namedWindow(specs[i].Name, -1); err != nil {
			return err
		}
	}
	return nil
}

// namedWindow returns a window of the WINDOW clause.
func (w *windowing) namedWindow(name ast.CIStr, pos int) (*window, error) {
	win := w.named[name.L]
	if win == nil {
		return nil, sqlerr.New(sqlerr.WindowUnknown, "Window name '%s' is not defined.", name.O).At(pos)
	}
	switch win.state {
	case resolving:
		return nil, sqlerr.New(sqlerr.WindowCircular, "There is a circularity in the window dependency graph.").At(w.b.Find("WINDOW", 0))
	case resolved:
		return win, nil
	}
	win.state = resolving
	if err := w.resolve(win, w.b.Find(win.name, w.b.Find("WINDOW", 0))); err != nil {
		return nil, err
	}
	win.state = resolved
	return win, nil
}

// windowOf returns the window after OVER: a named one or a specification.
func (w *windowing) windowOf(spec *ast.WindowSpec, pos int) (*window, error) {
	if spec.OnlyAlias {
		return w.namedWindow(spec.Name, pos)
	}
	win := &window{name: unnamedWindow, spec: spec}
	return win, w.resolve(win, pos)
}

// resolve binds a specification.
func (w *windowing) resolve(win *window, pos int) error {
	if win.spec.Ref.L != "" {
		if err := w.inherit(win, pos); err != nil {
			return err
		}
	}
	oldSpec := w.inSpec
	w.inSpec = win.name
	defer func() { w.inSpec = oldSpec }()
	if win.spec.PartitionBy != nil {
		keys, err := w.keys(win, win.spec.PartitionBy.Items, scope.WindowPartition, pos)
		if err != nil {
			return err
		}
		for _, k := range keys {
			win.partition = append(win.partition, k.Expr)
		}
	}
	if win.spec.OrderBy != nil {
		var err error
		if win.order, err = w.keys(win, win.spec.OrderBy.Items, scope.WindowOrder, pos); err != nil {
			return err
		}
	}
	return w.bindFrame(win, pos)
}

// inherit copies partition and order of the window that win refers to.
func (w *windowing) inherit(win *window, pos int) error {
	parent, err := w.namedWindow(win.spec.Ref, pos)
	switch {
	case err != nil:
		return err
	case win.spec.PartitionBy != nil:
		return sqlerr.New(sqlerr.WindowChildPartitioning, "A window which depends on another cannot define partitioning.").At(pos)
	case parent.spec.Frame != nil:
		return sqlerr.New(sqlerr.WindowInheritsFrame, "Window '%s' has a frame definition, so cannot be referenced by another window.", parent.name).At(pos).
			WithHint("OVER %s, without parentheses, uses the window with its frame.", parent.name)
	case win.spec.OrderBy != nil && len(parent.order) > 0:
		return sqlerr.New(sqlerr.WindowRedefinesOrder, "Window '%s' cannot inherit '%s' since both contain an ORDER BY clause.", win.name, parent.name).At(pos)
	}
	win.partition, win.order = parent.partition, parent.order
	return nil
}

// keys binds PARTITION BY or ORDER BY of a window, where neither aliases nor ordinals are visible.
func (w *windowing) keys(win *window, items []*ast.ByItem, at scope.Clause, pos int) ([]expr.SortKey, error) {
	b := w.b
	defer b.Enter(at, true)()
	keys := make([]expr.SortKey, len(items))
	for i, it := range items {
		if p, ok := it.Expr.(*ast.PositionExpr); ok {
			if p.P == nil {
				return nil, sqlerr.New(sqlerr.WindowIllegalOrderBy, "Window '%s': ORDER BY or PARTITION BY uses legacy position indication which is not supported, use expression.", win.name).At(pos)
			}
			return nil, sqlerr.Unsupported(pos, "a parameter as %s", at)
		}
		e, err := b.Expr(it.Expr)
		if err != nil {
			return nil, err
		}
		if e, err = b.group.regroup(e); err != nil {
			return nil, err
		}
		keys[i] = expr.SortKey{Expr: expr.Sortable(e), Desc: it.Desc}
	}
	return keys, nil
}
