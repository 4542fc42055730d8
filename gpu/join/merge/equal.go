package merge

import (
	"encoding/binary"
	"errors"

	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/gpu/join"
	"gsql/kernels"
)

const joinFamily = "gsql_merge_join"

// merger is the merge of two sorted columns, divided into tiles.
type merger struct {
	t            *engine.Task
	a, b         sorted
	tiles        int64
	splits, runs gpu.Ptr // where each tile begins (kernels/merge_path.cu)
}

func newMerger(t *engine.Task, a, b sorted) (*merger, error) {
	g := &merger{t: t, a: a, b: b, tiles: kernels.Tiles(joinFamily, a.n+b.n, false)}
	var err error
	if g.splits, err = t.Alloc(8 * (g.tiles + 1)); err != nil {
		return nil, err
	}
	if g.runs, err = t.Alloc(8 * (g.tiles + 1)); err != nil {
		return nil, err
	}
	return g, t.Launch("gsql_merge_splits", a.kind.Suffix(), g.tiles+1, false,
		uint64(a.keys), uint64(a.n), uint64(b.keys), uint64(b.n), uint64(g.splits), uint64(g.runs), uint64(g.tiles))
}

// mergerBytes returns the memory of a merger of n keys and of its pairs' state.
func mergerBytes(n int64) int64 {
	return 3*padded(8*(kernels.Tiles(joinFamily, n, false)+1)) + padded(16)
}

// sortKeys sorts both sides by the key.
func (p *plan) sortKeys(t *engine.Task) (left, right sorted, err error) {
	l, err := p.key.Left(t)
	if err != nil {
		return left, right, err
	}
	r, err := p.key.Right(t)
	if err != nil {
		return left, right, err
	}
	if left, err = sort(t, l); err != nil {
		return left, right, err
	}
	right, err = sort(t, r)
	return left, right, err
}

func (p *plan) equalPairs(t *engine.Task, out join.Output) error {
	left, right, err := p.sortKeys(t)
	if err != nil || left.n == 0 || right.n == 0 {
		return err
	}
	g, err := newMerger(t, left, right)
	if err != nil {
		return err
	}
	return g.pairs(out)
}

// pairs writes as many pairs as the first piece holds in the pass that counts all of them, and the
// others as windows of the output.
func (g *merger) pairs(out join.Output) error {
	state, err := g.t.Alloc(8 * (1 + g.tiles))
	if err != nil {
		return err
	}
	left, right, room, err := out.Piece()
	if err != nil {
		return err
	}
	total, large, err := g.first(state, left, right, room)
	if err != nil {
		return err
	}
	to := min(total, room)
	if to > 0 && large {
		staged := int64(kernels.Find(joinFamily).Tile(false))
		err = g.expand(state+8, 0, to, staged, left, right)
	}
	for from := int64(0); err == nil && to > from; {
		if err = out.Emit(to - from); err != nil || to == total {
			break
		}
		if left, right, room, err = out.Piece(); err == nil {
			from, to = to, min(total, to+room)
			err = g.expand(state+8, from, to, 0, left, right)
		}
	}
	return err
}

// first counts all pairs and writes those before room, except for tiles with more pairs than can be
// staged: large reports whether there are such tiles.
func (g *merger) first(state, left, right gpu.Ptr, room int64) (total int64, large bool, err error) {
	totals, err := g.t.Alloc(16)
	if err != nil {
		return 0, false, err
	}
	if err := errors.Join(g.t.Fill(state, 0, 8*(1+g.tiles)), g.t.Fill(totals, 0, 16)); err != nil {
		return 0, false, err
	}
	err = g.t.Launch(joinFamily, g.a.kind.Suffix(), g.a.n+g.b.n, false,
		append(g.sides(), uint64(state), uint64(left), uint64(right), uint64(room), uint64(totals))...)
	if err != nil {
		return 0, false, err
	}
	var words [16]byte
	err = g.t.Read(words[:], totals)
	return int64(binary.LittleEndian.Uint64(words[:])), binary.LittleEndian.Uint64(words[8:]) > 0, err
}

// sides returns the first parameters of the kernels.
func (g *merger) sides() []uint64 {
	return []uint64{uint64(g.a.keys), uint64(g.a.rows), uint64(g.a.n), uint64(g.b.keys), uint64(g.b.rows), uint64(g.b.n), uint64(g.splits), uint64(g.runs)}
}

// expand writes pairs [from, to) of tiles that have more than least pairs.
func (g *merger) expand(sums gpu.Ptr, from, to, least int64, left, right gpu.Ptr) error {
	return g.t.Launch("gsql_merge_expand", g.a.kind.Suffix(), to-from, false,
		append(g.sides(), uint64(sums), uint64(g.tiles), uint64(from), uint64(to), uint64(least), uint64(left), uint64(right))...)
}

// counts returns the number of partners of each of b's keys, in b's order.
func (g *merger) counts() (gpu.Ptr, error) {
	counts, err := g.t.Alloc(8 * g.b.n)
	if err != nil {
		return 0, err
	}
	return counts, g.t.Launch("gsql_merge_counts", g.a.kind.Suffix(), g.a.n+g.b.n, false,
		uint64(g.a.keys), uint64(g.a.n), uint64(g.b.keys), uint64(g.b.n), uint64(g.splits), uint64(g.runs), uint64(counts))
}
