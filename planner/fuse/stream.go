package fuse

import (
	"cmp"
	"slices"

	"gsql/planner/physical"
)

// Rows that do not fit a device's memory are streamed in blocks of streamBytes, of which streamBlocks are on
// the device at a time; gpu/engine.Stream has the same numbers.
const (
	streamBytes  = 4 << 20
	streamBlocks = 3
	streamRows   = 2048 // of a block at least
)

// mostColumn is the largest share of a device's memory that a column may take.
const mostColumn = 0.5

// streams decides which columns of a subtree's tables are streamed because the device's memory does not
// suffice for all of them: those of the largest tables, as long as pipelines read their rows one after
// another. It returns false if the rest does not fit either.
func (s *Search) streams(w *Work) bool {
	free := s.Device.FreeBytes
	left := free - w.Memory
	fits := func(c *Column) bool { return c.Bytes <= mostColumn*free }
	most, whole := left, true
	for i := range w.Columns {
		most -= w.Columns[i].Bytes
		whole = whole && fits(&w.Columns[i])
	}
	if free <= 0 || whole && most >= 0 {
		return true
	}
	reserved := min(streamBlocks*streamBytes, left/2)
	left -= reserved
	sizes, stuck := map[string]float64{}, false
	var may []*Column
	for i := range w.Columns {
		c := &w.Columns[i]
		if c.Passes > 0 {
			sizes[c.Table.Name()] += c.Bytes
			may = append(may, c)
			continue
		}
		left -= c.Bytes
		stuck = stuck || !fits(c)
	}
	if stuck || left < 0 {
		return false
	}
	slices.SortStableFunc(may, func(a, b *Column) int { return cmp.Compare(sizes[a.Table.Name()], sizes[b.Table.Name()]) })
	for _, c := range may {
		if c.Streams = c.Bytes > left || !fits(c); !c.Streams {
			left -= c.Bytes
		}
	}
	return w.leastStream() <= left+reserved
}

// leastStream returns the memory in which the columns can be streamed at all. One table is streamed at a time.
func (w *Work) leastStream() (least float64) {
	each := map[string]float64{} // bytes of a row
	for i := range w.Columns {
		if c := &w.Columns[i]; c.Streams {
			t := c.Table.Name()
			each[t] += c.Bytes / max(c.Rows, 1)
			least = max(least, streamBlocks*streamRows*each[t])
		}
	}
	return least
}

// mostPasses is the most passes that a join may take.
const mostPasses = 64

// fitting returns the work of a subtree in a form that fits the device's memory: some columns are streamed, and
// the join that needs most memory takes as few passes as possible. It returns nil if there is none.
func (s *Search) fitting(root *physical.Node, w *Work) *Work {
	for passes := 2; !s.streams(w); passes *= 2 {
		var err error
		if passes > mostPasses {
			return nil
		}
		if w, err = s.Forms.Form(s.Device.Device, root, passes); err != nil {
			return nil
		}
		w.JoinPasses = passes
	}
	return w
}

// stream returns the price of streaming columns over the link for each pipeline that reads their rows. While
// one block crosses, the host reads others, but texts must have been numbered before.
func (s *Search) stream(w *Work) (ms float64) {
	for i := range w.Columns {
		c := &w.Columns[i]
		switch passes, link := float64(c.Passes), s.Device.Download(c.Bytes); {
		case !c.Streams:
		case c.Texts > 0:
			ms += s.read(c) + passes*link
		default:
			ms += passes * max(s.read(c), link)
		}
	}
	return ms
}

// streamed describes what is streamed of each table.
func (w *Work) streamed(free float64) (out []physical.Streamed) {
	block := max(1, min(streamBytes, free/2/streamBlocks))
	for i := range w.Columns {
		c := &w.Columns[i]
		if !c.Streams {
			continue
		}
		at := slices.IndexFunc(out, func(x physical.Streamed) bool { return x.Table == c.Table.Name() })
		if at < 0 {
			at = len(out)
			out = append(out, physical.Streamed{Table: c.Table.Name()})
		}
		out[at].Bytes += c.Bytes * float64(c.Passes)
	}
	for i := range out {
		out[i].Blocks = max(1, out[i].Bytes/block)
	}
	return out
}
