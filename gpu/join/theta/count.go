package theta

import (
	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/kernels"
)

// most is the number of pairs of one launch.
func (opt Options) most(cost int64) int64 {
	if opt.PairsPerLaunch > 0 {
		return opt.PairsPerLaunch
	}
	const instructions = 1 << 39 // a second has about 2^44.9
	return instructions / cost
}

const (
	countFamily = "gsql_theta_count"
	// A block compares a tile of owners with a chunk of others. The chunk is long enough to justify
	// loading the owners, and short enough for the blocks of a launch to fill the device several
	// times.
	longestChunk  = 1 << 14
	shortestChunk = 1 << 10
	enoughBlocks  = 1 << 12
)

// count adds to counts[i], of 64 bits, how many of the others match owner i. It waits between
// launches.
func (p *plan) count(t *engine.Task, o owners, other others, counts gpu.Ptr, opt Options) error {
	most := opt.most(p.cost())
	rows := min(o.rows, max(leastStrip, most/longestChunk))
	span := min(other.rows, max(shortestChunk, most/rows/shortestChunk*shortestChunk))
	for from := int64(0); from < o.rows; from += rows {
		for at := int64(0); at < other.rows; at += span {
			if from+at > 0 {
				if err := t.Sync(); err != nil {
					return err
				}
			}
			if err := p.launchCount(t, o, from, min(rows, o.rows-from), other, at, min(span, other.rows-at), counts); err != nil {
				return err
			}
		}
	}
	return nil
}

// launchCount compares rows owners from number row on with span others from number at on.
func (p *plan) launchCount(t *engine.Task, o owners, row, rows int64, other others, at, span int64, counts gpu.Ptr) error {
	width := p.width()
	tiles := kernels.Tiles(countFamily, rows, width == 8)
	chunk := min(longestChunk, max(shortestChunk, span*tiles/enoughBlocks/shortestChunk*shortestChunk))
	blocks := tiles * ((span + chunk - 1) / chunk)
	return t.LaunchBlocks(countFamily, p.entry(p.form()), blocks, 0,
		uint64(o.lows)+uint64(row*width), uint64(o.highs)+uint64(row*width), uint64(o.keeps)+uint64(row), uint64(o.rows), uint64(rows),
		uint64(other.words)+uint64(at*width), uint64(other.stride), uint64(span), uint64(tiles), uint64(chunk), uint64(counts)+uint64(8*row))
}
