package join

import (
	"math"
	"sort"
	"sync/atomic"

	"gsql/exec/op"
)

// mergePath divides the merge of two sorted sides into pieces of much the same work, which
// workers take one after the other. Stretches are as many rows of both sides, whichever side
// they are of: where one begins is a place on the path that merging takes through the grid of
// left and right rows, found by binary search on a diagonal (Odeh, Green, Mwassi, Shmueli and
// Birk, "Merge Path - Parallel Merging Made Simple", IPDPS Workshops 2012; Green, McColl and
// Bader, "GPU Merge Path", ICS 2012). Left rows belong to the stretch in which they lie, with all
// of their partners. A group of equal codes with many pairs is no part of stretches: tiles are
// as many pairs of it, whichever rows they are of.
type mergePath struct {
	left, right []uint64
	once        bool // a left row has one pair at most
	stretch     int  // rows
	stretches   int
	tile        int         // pairs
	groups      []longGroup // ascending
	tiles       int
	next        atomic.Int64 // pieces taken: tiles come first
}

// longGroup are the rows of one code: left ones from left to leftEnd, right ones from right on,
// of which each left row has width partners. Its first tile has the number firstTile.
type longGroup struct {
	left, leftEnd, right, width int
	firstTile                   int
}

// leastTile is how many pairs a tile has at least. A group of no more than these is not divided.
const leastTile = 1 << 18

// tilePairs is leastTile but in tests.
var tilePairs = leastTile

// newMergePath divides the merge of sides with these codes, which ascend, among the workers.
func newMergePath(ctx *op.Ctx, left, right []uint64, once bool) *mergePath {
	rows := len(left) + len(right)
	p := &mergePath{left: left, right: right, once: once, stretch: max(rows, 1)}
	if ctx.Workers > 1 {
		p.stretch, p.tile = stretchOf(ctx, rows), max(tilePairs, rows/(32*ctx.Workers))
		p.findGroups()
	}
	p.stretches = (rows + p.stretch - 1) / p.stretch
	return p
}

// stretchOf gives the rows that a worker takes at a time: enough pieces for balance.
func stretchOf(ctx *op.Ctx, rows int) int {
	return max(1, min(1<<14, rows/(8*max(ctx.Workers, 1))))
}

// findGroups finds the groups with more pairs than a tile. On one side at least they have
// more rows than the pairs' square root, so that two rows in a distance of half of it are of
// the group.
func (p *mergePath) findGroups() {
	step := max(1, int(math.Sqrt(float64(p.tile)))/2)
	l, r := step, step // places to look at
	leftEnd, rightEnd := 0, 0
	for {
		l, r = sameBefore(p.left, l, step), sameBefore(p.right, r, step)
		var c uint64
		switch {
		case l >= len(p.left) && r >= len(p.right):
			return
		case r >= len(p.right) || l < len(p.left) && p.left[l] <= p.right[r]:
			c = p.left[l]
		default:
			c = p.right[r]
		}
		left, right := gallop(p.left, leftEnd, c), gallop(p.right, rightEnd, c)
		leftEnd, rightEnd = pastCode(p.left, left, c), pastCode(p.right, right, c)
		p.add(longGroup{left: left, leftEnd: leftEnd, right: right, width: rightEnd - right})
		l, r = max(l, leftEnd/step*step+step), max(r, rightEnd/step*step+step)
	}
}

// sameBefore gives the first of the places at, at+step, ... whose code is that of step places
// before, or one behind the last code.
func sameBefore(codes []uint64, at, step int) int {
	for at < len(codes) && codes[at] != codes[at-step] {
		at += step
	}
	return at
}

// pastCode gives the first position from at on whose code is above c; those between are not below.
func pastCode(codes []uint64, at int, c uint64) int {
	if c == math.MaxUint64 {
		return len(codes)
	}
	return gallop(codes, at, c+1)
}

// add makes tiles of a group, unless it has few pairs.
func (p *mergePath) add(g longGroup) {
	if p.once {
		g.width = min(g.width, 1)
	}
	pairs := (g.leftEnd - g.left) * g.width
	if pairs <= p.tile {
		return
	}
	g.firstTile = p.tiles
	p.groups, p.tiles = append(p.groups, g), p.tiles+(pairs+p.tile-1)/p.tile
}

// piece is a stretch, or a tile where it has pairs.
type piece struct {
	// A stretch: left rows l to end, and where the partners of the first one may begin. The
	// first long group that they may be of is long.
	l, end, r, long int
	// A tile: so many pairs of a group, left row by left row, from one and a partner of it on.
	group               *longGroup
	row, partner, pairs int
}

// take gives a piece that nobody has taken; ok is false when there are none.
func (p *mergePath) take() (x piece, ok bool) {
	k := int(p.next.Add(1)) - 1
	if k < p.tiles {
		g := &p.groups[sort.Search(len(p.groups), func(i int) bool { return p.groups[i].firstTile > k })-1]
		from := (k - g.firstTile) * p.tile
		x.group, x.row, x.partner = g, g.left+from/g.width, g.right+from%g.width
		x.pairs = min(p.tile, (g.leftEnd-g.left)*g.width-from)
		return x, true
	}
	if k -= p.tiles; k >= p.stretches {
		return x, false
	}
	x.l, x.r = pathAt(p.left, p.right, k*p.stretch)
	x.end, _ = pathAt(p.left, p.right, min((k+1)*p.stretch, len(p.left)+len(p.right)))
	x.long = sort.Search(len(p.groups), func(i int) bool { return p.groups[i].leftEnd > x.l })
	return x, true
}

// pathAt gives how many left and right rows the first d rows of the merged sides are. Of
// equal codes the left rows come first.
func pathAt(left, right []uint64, d int) (l, r int) {
	lo, hi := max(0, d-len(right)), min(d, len(left))
	for lo < hi {
		mid := (lo + hi) / 2
		if left[mid] <= right[d-1-mid] {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, d - lo
}
