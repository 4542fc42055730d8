package merge

import (
	"math"
	"sort"
	"sync/atomic"

	"gsql/exec/op"
)

// path divides the merge of two sorted sides into pieces, which workers take one after another.
type path struct {
	left, right []uint64
	once        bool // a left row has at most one pair
	stretch     int  // rows
	stretches   int
	tile        int         // pairs
	groups      []longGroup // ascending
	tiles       int
	next        atomic.Int64 // pieces taken: tiles come first
}

// longGroup holds the rows of one code: left rows from left to leftEnd, and right rows from right
// on. Each left row has width partners. firstTile is the number of its first tile.
type longGroup struct {
	left, leftEnd, right, width int
	firstTile                   int
}

// leastTile is the least number of pairs in a tile. Groups with no more pairs are not divided.
const leastTile = 1 << 18

// tilePairs is leastTile except in tests.
var tilePairs = leastTile

// newPath divides the merge of sides with these ascending codes among the workers.
func newPath(ctx *op.Ctx, left, right []uint64, once bool) *path {
	rows := len(left) + len(right)
	p := &path{left: left, right: right, once: once, stretch: max(rows, 1)}
	if ctx.Workers > 1 {
		p.stretch, p.tile = op.PieceRows(ctx, rows), max(tilePairs, rows/(32*ctx.Workers))
		p.findGroups()
	}
	p.stretches = (rows + p.stretch - 1) / p.stretch
	return p
}

// findGroups finds the groups with more pairs than a tile. At least one side of such a group has
// more rows than the square root of its pairs, so the group contains two rows that are half that
// distance apart.
func (p *path) findGroups() {
	step := max(1, int(math.Sqrt(float64(p.tile)))/2)
	l, r := step, step // positions to examine
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

// sameBefore returns the first of the positions at, at+step, ... whose code equals the one step
// positions earlier, or a position past the last code.
func sameBefore(codes []uint64, at, step int) int {
	for at < len(codes) && codes[at] != codes[at-step] {
		at += step
	}
	return at
}

// pastCode returns the first position from at on whose code is greater than c; no code from at on
// is less than c.
func pastCode(codes []uint64, at int, c uint64) int {
	if c == math.MaxUint64 {
		return len(codes)
	}
	return gallop(codes, at, c+1)
}

// add divides a group into tiles, unless it has few pairs.
func (p *path) add(g longGroup) {
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

// piece is a tile if it has pairs, otherwise a stretch.
type piece struct {
	// A stretch: left rows [l, end), the first right row r that may be a partner of row l, and
	// the number of the first long group that may contain row l.
	l, end, r, long int
	// A tile: a number of pairs of a group, by left row, beginning with a left row and one of its
	// partners.
	group               *longGroup
	row, partner, pairs int
}

// take returns a piece that no worker has taken; ok is false if none remains.
func (p *path) take() (x piece, ok bool) {
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

// pathAt returns how many left and how many right rows are among the first d rows of the merged
// sides. Among equal codes, left rows come first.
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
