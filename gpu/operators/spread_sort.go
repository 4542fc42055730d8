package operators

import (
	"errors"
	"unsafe"

	"gsql/exec"
	"gsql/exec/op"
	"gsql/exec/sort"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/group"
	"gsql/gpu/group/sorting"
	"gsql/gpu/join/radix"
	"gsql/gpu/prim"
	"gsql/planner/physical"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// sorted is a Sort on devices: the host collects the rows and makes codes of their keys, the devices sort
// the codes with the numbers of the rows, and the host returns the rows in that order.
type sorted struct {
	*sort.Operator
	node        *physical.Node
	sent, noted *exec.Crossings
	ctx         *op.Ctx
}

// newSort returns the operator of a Sort.
func newSort(b *exec.Inputs, n *physical.Node) (op.Operator, error) {
	in, err := b.Build(n.In[0])
	if err != nil {
		return nil, err
	}
	o, err := sort.New(n, in)
	if err != nil {
		return nil, err
	}
	s := &sorted{Operator: o, node: n, sent: b.Crossings(n.In[0]), noted: b.Crossings(n)}
	o.Elsewhere = s.order
	return s, nil
}

// errOnDisk is why the CPU sorts rows that spill.
var errOnDisk = sqlerr.New(sqlerr.OutOfMemory, "the rows to sort do not fit in the host's memory")

// Open implements op.Operator.
func (s *sorted) Open(ctx *op.Ctx) error {
	s.ctx = ctx
	if err := s.Operator.Open(ctx); err != nil || !s.OnDisk() {
		return err
	}
	return fellBack(ctx, nameOf(s.node), s.noted, errOnDisk)
}

// order is a sort.Sorter.
func (s *sorted) order(codes []int64, bits int, rows []int32) (bool, error) {
	err := op.Guard(func() error {
		return untilLost(s.ctx, s.node, func(devices []physical.Device) error { return s.orderOn(devices, codes, bits, rows) }, func() error { return nil })
	})
	switch {
	case err == nil:
		return true, nil
	case s.ctx.Err() != nil:
		return false, s.ctx.Err()
	}
	return false, fellBack(s.ctx, nameOf(s.node), s.noted, err)
}

// orderOn sorts on some devices.
func (s *sorted) orderOn(devices []physical.Device, codes []int64, bits int, rows []int32) error {
	engines, err := enginesOf(devices)
	if err != nil {
		return err
	}
	g, err := group.Begin(s.ctx, engines, nameOf(s.node))
	if err != nil {
		return err
	}
	w := &pairSort{group: g, codes: codes, by: orderOf(bits), in: make([]sorting.Part, len(engines)), out: make([]prim.Pairs, len(engines))}
	err = w.sort(rows)
	s.sent.ToDevice.Add(w.sent)
	s.noted.FromDevice.Add(w.returned)
	spread := exec.Spread{Received: make([]int64, len(engines))}
	var had []int64
	for i, m := range g.Members {
		spread.Received[i] = m.Received
		had = append(had, w.in[i].Rows)
	}
	spread.Balance = radix.Spread{Rows: had}.Balance()
	return errors.Join(err, noteGroup(g, s.noted, spread), g.End())
}

// orderOf returns the order of codes of so many bits, which take 4 bytes if they fit.
func orderOf(bits int) prim.Sorting {
	switch {
	case bits == 64:
		return prim.Sorting{Kind: column.I64}
	case bits < 32:
		return prim.Sorting{Kind: column.I32, Bounded: true, Max: 1<<bits - 1}
	}
	return prim.Sorting{Kind: column.I64, Bounded: true, Max: 1<<bits - 1}
}

// numberBytes is the size of a row's number.
const numberBytes = 4

// pairSort sorts codes with the rows' numbers on a group.
type pairSort struct {
	group *group.Group
	codes []int64
	by    prim.Sorting
	in    []sorting.Part // of each device, before and then after the sort
	out   []prim.Pairs

	sent, returned int64 // bytes
}

// sort writes the rows in order to rows.
func (w *pairSort) sort(rows []int32) error {
	if err := w.group.Run(w.load); err != nil {
		return err
	}
	w.sent = int64(len(w.codes)) * w.by.Kind.Width()
	var err error
	if w.in, err = sorting.Sort(w.group, w.by, w.in, w.out, numberBytes); err != nil {
		return err
	}
	first := make([]int64, len(w.in)+1)
	for i, p := range w.in {
		first[i+1] = first[i] + p.Rows
	}
	if first[len(w.in)] != int64(len(rows)) {
		return sqlerr.Internal("%d of %d rows sorted", first[len(w.in)], len(rows))
	}
	w.returned = numberBytes * int64(len(rows))
	return w.group.Run(func(m *group.Member) error {
		part := rows[first[m.Number]:first[m.Number+1]]
		if len(part) == 0 {
			return nil
		}
		raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(part))), numberBytes*len(part))
		return m.Download(engine.Piece{To: raw, From: w.in[m.Number].Values})
	})
}

// load sends a device its share of the codes, numbers their rows, and allocates the memory for the result.
func (w *pairSort) load(m *group.Member) error {
	devices := len(w.group.Members)
	from, to := engine.Share{Number: m.Number, Of: devices}.Rows(int64(len(w.codes)))
	part := w.codes[from:to]
	c, err := m.Upload(column.Format{Kind: w.by.Kind}, &vec.Vector{Type: types.T(types.Int64), N: len(part), I64: part})
	if err != nil {
		return err
	}
	in := &w.in[m.Number]
	in.Rows, in.Keys = to-from, c.Values
	if in.Values, err = m.Alloc(max(numberBytes*in.Rows, 1)); err != nil {
		return err
	}
	if in.Rows > 0 {
		if err := prim.RowNumbers(m.Task, in.Values, from, in.Rows); err != nil {
			return err
		}
	}
	out := &w.out[m.Number]
	capacity := sorting.Capacity(int64(len(w.codes)), devices)
	if out.Keys, err = m.Alloc(w.by.Kind.Width() * capacity); err != nil {
		return err
	}
	out.Values, err = m.Alloc(numberBytes * capacity)
	return err
}
