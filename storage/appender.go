package storage

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"gsql/internal/mem"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
	"gsql/storage/keyindex"
	"gsql/storage/segment"
	"gsql/storage/stats"
)

// Appender loads many rows into a table. Any number of goroutines may write, each with its own
// AppendWriter; segments are sealed in those goroutines. Finish adds all rows to the transaction
// or none. An Appender that is not finished leaves no trace.
type Appender struct {
	tx     *Tx
	w      *write
	schema *catalog.Schema
	files  *spool       // nil if segments stay in memory
	target atomic.Int64 // rows of a segment; 0 before there is a chunk

	mu      sync.Mutex
	writers []*AppendWriter
	open    int       // writers that are not closed
	pending []portion // not yet in order; sorted by seq, then arrival
	ready   []portion // in order, but too few for a segment
	rows    int       // of ready
	bytes   int64     // of ready
	waiting int64     // bytes charged for the chunks of both
	step    step
	parts   []part
	spare   []*segment.Chunk
	held    *mem.Holding // charge for chunks and writers
	first   int64        // first AUTO_INCREMENT value generated
	err     error
}

// part is a sealed segment with the keys of its rows, by position in the table's keys.
type part struct {
	*segment.Segment
	keys []*keyindex.Chunk
}

// portion is a run of rows with one sequence number.
type portion struct {
	seq   int64
	chunk *segment.Chunk // nil if the rows are in few
	few   segment.Tail
}

func (p *portion) rows() int {
	if p.chunk == nil {
		return p.few.N
	}
	return p.chunk.Rows
}

// charged returns the bytes that the load's Holding is charged for a chunk.
func (p *portion) charged() int64 {
	if p.chunk == nil {
		return 0
	}
	return p.chunk.Charged()
}

// text returns an upper bound for the bytes of strings.
func (p *portion) text() int64 {
	if p.chunk == nil {
		return p.few.Bytes
	}
	return p.chunk.Text()
}

// NewAppender starts a load into a table that came from the transaction's resolver. The
// transaction must not be used for anything else until Finish or Abandon.
func NewAppender(tx *Tx, tbl catalog.Table) (*Appender, error) {
	w, err := tx.target(tbl)
	if err != nil {
		return nil, err
	}
	a := &Appender{tx: tx, w: w, schema: w.view.schema, held: w.view.mem.HoldAnyway(0)}
	if !temporary(w.view.db) {
		a.files = spoolOf(tx)
	}
	return a, nil
}

// NewWriter adds a writer. All writers must be created before the first row is appended: rows are
// put in order as soon as no writer can send earlier ones.
func (a *Appender) NewWriter() *AppendWriter {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := &AppendWriter{app: a, seq: math.MinInt64, open: true, encoders: segment.NewEncoders(a.schema, a.w.view.segRows),
		counts: make([]*stats.Sketch, len(a.schema.Columns)), scratch: make([]vec.Vector, len(a.schema.Columns))}
	a.writers = append(a.writers, w)
	a.open++
	return w
}

// number fills in AUTO_INCREMENT values and records the first one generated. The values follow
// the order of the rows only if there is a single writer.
func (a *Appender) number(col *catalog.Column, v *vec.Vector) (*vec.Vector, error) {
	out, made, err := a.w.view.table.number(col, v, a.tx.keepZeros)
	if err != nil || made == nil {
		return out, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.first == 0 {
		a.first = firstMade(out, made)
	}
	return out, nil
}

// push inserts p into pending, which stays sorted; equal sequence numbers stay in order of
// arrival.
func (a *Appender) push(p portion) {
	at, _ := slices.BinarySearchFunc(a.pending, p.seq, func(q portion, seq int64) int {
		if q.seq <= seq {
			return -1
		}
		return cmp.Compare(q.seq, seq)
	})
	a.pending = slices.Insert(a.pending, at, p)
	a.waiting += p.charged()
}

// release moves to ready the portions that no writer can precede any more.
func (a *Appender) release() {
	frontier := int64(math.MaxInt64)
	for _, w := range a.writers {
		frontier = min(frontier, w.seq)
	}
	n := 0
	for n < len(a.pending) && a.pending[n].seq <= frontier {
		a.rows += a.pending[n].rows()
		a.bytes += a.pending[n].text()
		n++
	}
	a.step.move(frontier)
	a.ready = append(a.ready, a.pending[:n]...)
	a.pending = slices.Delete(a.pending, 0, n)
}

// loadParts is the number of parts that a load divides its memory into for each writer: it holds
// chunks that wait for earlier ones, the segment they are joined to, and that segment encoded.
const loadParts = 8

// fewestRows is the least number of rows in a segment that little memory leads to.
const fewestRows = 4096

// segmentRows returns the number of rows from which a segment is sealed.
func (a *Appender) segmentRows() int {
	if n := a.target.Load(); n > 0 {
		return int(n)
	}
	return a.w.view.segRows
}

// plan sets the size of segments once the size of rows is known from the first rows of a chunk of w. A load
// into files makes smaller ones if the memory is limited; they are merged later.
func (a *Appender) plan(w *AppendWriter) {
	rows := int64(a.w.view.segRows)
	if left := a.w.view.mem.Left(); a.files != nil && a.w.view.mem.IsLimited() {
		size := w.cur.Charged()
		for _, c := range w.encoders {
			size += c.Footprint() // texts, which may turn out to be too many for codes
		}
		width := max(1, size/int64(max(1, w.cur.Rows)))
		rows = min(rows, max(fewestRows, left/(width*loadParts*int64(len(a.writers)))))
	}
	a.target.Store(rows)
	if a.files != nil && a.w.view.mem.IsLimited() {
		a.step.most.Store(a.w.view.mem.Left() / waitingPart)
	}
}

// complete reports whether the ready rows fill a segment.
func (a *Appender) complete() bool {
	return a.rows >= a.segmentRows() || a.bytes >= segment.MaxBytes
}

// cut removes about one segment's worth of rows from ready and reserves a slot for the segment.
func (a *Appender) cut() (slot int, cut []portion) {
	rows, bytes, n := 0, int64(0), 0
	for n < len(a.ready) && rows < a.segmentRows() && bytes < segment.MaxBytes {
		rows += a.ready[n].rows()
		bytes += a.ready[n].text()
		a.waiting -= a.ready[n].charged()
		n++
	}
	cut = slices.Clone(a.ready[:n])
	a.ready = slices.Delete(a.ready, 0, n)
	a.rows -= rows
	a.bytes -= bytes
	a.parts = append(a.parts, part{})
	return len(a.parts) - 1, cut
}

// sealPortions seals portions as a segment. Their chunks are discharged first because the segment
// may take over their memory.
func (a *Appender) sealPortions(ps []portion) (part, error) {
	chunks := make([]*segment.Chunk, len(ps))
	for i, p := range ps {
		var err error
		if chunks[i] = p.chunk; p.chunk == nil {
			if chunks[i], err = segment.ChunkOf(a.schema, segment.NewEncoders(a.schema, p.few.N), p.few.Batches()); err != nil {
				return part{}, err
			}
		}
		chunks[i].Discharge(a.held)
	}
	seg, err := segment.SealChunks(a.w.view.mem, a.schema, chunks)
	if err != nil {
		return part{}, err
	}
	out := part{Segment: seg}
	if out.keys, err = a.keysOf(seg); err != nil || a.files == nil {
		return out, err
	}
	out.Segment, err = a.files.add(a.schema, seg)
	return out, err
}

// newChunk returns an empty chunk, reusing a sealed one if possible.
func (a *Appender) newChunk() *segment.Chunk {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := len(a.spare); n > 0 {
		c := a.spare[n-1]
		a.spare = a.spare[:n-1]
		return c
	}
	return segment.NewChunk(a.schema)
}

// recycle keeps the chunks of sealed portions for reuse.
func (a *Appender) recycle(ps []portion) {
	for _, p := range ps {
		if p.chunk != nil {
			a.spare = append(a.spare, p.chunk)
		}
	}
}

// Abandon ends the load with err. Closing the writers then seals no more segments.
func (a *Appender) Abandon(err error) { _ = a.fail(err) }

func (a *Appender) fail(err error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil {
		a.err = err
	}
	a.step.wake()
	return a.err
}

// Finish adds the rows to the transaction and returns their number. All writers must be closed.
// After an error (a writer's, or 1062) the table is unchanged.
func (a *Appender) Finish(ctx context.Context) (int64, error) {
	for _, w := range a.writers {
		if w.open {
			return 0, sqlerr.Internal("the appender's writers must be closed first")
		}
	}
	if a.tx.done {
		return 0, errDone
	}
	if a.err == nil {
		a.err = ctx.Err()
	}
	if a.err != nil {
		return 0, sqlerr.From(a.err)
	}
	shape := a.w.view.shape()
	if len(a.parts) > 0 || a.rows >= shape.MinSegment() || a.complete() {
		if err := a.sealRest(ctx); err != nil {
			return 0, err
		}
	}
	a.count()
	next := a.w.view.withOwn()
	keyed := len(a.w.local) > 0
	rows, undo, err := a.enter(ctx, next)
	if err != nil {
		a.w.takeBack(keyed, undo)
		return 0, err
	}
	a.tx.keepUndo(undo)
	a.tx.autoID = a.first
	next.churn += rows
	a.w.view = next
	a.held.Free()
	return rows, nil
}

// count merges the writers' sketches into the segments' zones.
func (a *Appender) count() {
	for c := range a.schema.Columns {
		var all *stats.Sketch
		for _, w := range a.writers {
			all = all.With(w.counts[c])
		}
		for _, seg := range a.parts {
			z := &seg.Cols[c].Zone
			z.Sketch = z.Sketch.With(all)
		}
	}
}

// sealRest seals the ready rows in parallel: on as many cores as there are writers if the memory is divided among
// these.
func (a *Appender) sealRest(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	most := runtime.GOMAXPROCS(0)
	if a.step.most.Load() > 0 {
		most = min(most, len(a.writers))
	}
	g.SetLimit(most)
	var mu sync.Mutex
	for len(a.ready) > 0 {
		mu.Lock()
		slot, cut := a.cut()
		mu.Unlock()
		seal := func() error {
			if err := ctx.Err(); err != nil {
				return sqlerr.From(err)
			}
			seg, err := a.sealPortions(cut)
			mu.Lock()
			defer mu.Unlock()
			a.parts[slot] = seg
			return err
		}
		g.Go(func() error { return sqlerr.Guard(seal) })
	}
	return g.Wait()
}

// enter adds the segments, or the few rows, to next's own rows, and their keys to the
// transaction's.
func (a *Appender) enter(ctx context.Context, next *version) (rows int64, undo []func(), err error) {
	own := next.own
	if len(a.parts) > 0 {
		if err := own.Seal(next.shape()); err != nil {
			return 0, nil, err
		}
		if undo, err = a.enterKeys(ctx, next); err != nil {
			return 0, undo, err
		}
		own.Segs = slices.Clip(own.Segs)
	}
	for _, p := range a.parts {
		own.Segs = append(own.Segs, segment.Sealed{Segment: p.Segment, Base: own.Tail.Base})
		own.Tail.Base += int64(p.Rows)
		rows += int64(p.Rows)
	}
	for _, p := range a.ready {
		batches, err := p.batches(a.schema)
		if err != nil {
			return 0, undo, err
		}
		for _, cols := range batches {
			n := cols[0].N
			u, err := a.tx.claim(ctx, a.w, next, cols, n)
			undo = append(undo, u...)
			if err != nil {
				return 0, undo, err
			}
			if own.Tail, err = own.Tail.Append(next.mem, a.schema, cols, n); err != nil {
				return 0, undo, err
			}
			rows += int64(n)
		}
	}
	return rows, undo, nil
}

// batches returns the rows as flat vectors.
func (p *portion) batches(schema *catalog.Schema) ([][]*vec.Vector, error) {
	if p.chunk == nil {
		return p.few.Batches(), nil
	}
	seg, err := segment.SealChunks(nil, schema, []*segment.Chunk{p.chunk})
	if err != nil {
		return nil, err
	}
	cols, err := seg.Flat(schema)
	return [][]*vec.Vector{cols}, err
}
