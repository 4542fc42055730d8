package storage

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"
	"golang.org/x/sync/errgroup"

	"gsql/sql/arrowvec"
	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Appender loads many rows into a table. Any number of goroutines write, each with a
// writer of its own; segments are sealed in those goroutines. The rows become the
// transaction's at Finish, all or none; an Appender that is not finished leaves no
// trace.
type Appender struct {
	tx     *Tx
	w      *write
	schema *catalog.Schema

	mu      sync.Mutex
	writers []*AppendWriter
	pending []portion // out of order yet, by seq and arrival
	ready   []portion // in order, not yet enough for a segment
	rows    int       // of ready
	bytes   int64     // of ready
	parts   []*segment
	spare   []*chunk
	first   int64 // AUTO_INCREMENT value made
	err     error
}

// portion is a run of rows with one sequence number.
type portion struct {
	seq int64
	*chunk
}

// NewAppender starts a load into a table that came from the transaction's resolver. The
// transaction must not be used otherwise until Finish or until the load is given up.
func (tx *Tx) NewAppender(tbl catalog.Table) (*Appender, error) {
	w, err := tx.target(tbl)
	if err != nil {
		return nil, err
	}
	return &Appender{tx: tx, w: w, schema: w.view.schema}, nil
}

// AppendWriter writes rows for one goroutine.
type AppendWriter struct {
	app     *Appender
	seq     int64 // of the rows now coming; guarded by app.mu when written
	open    bool
	cur     *chunk // nil without rows
	n       int    // rows so far
	coders  []*coder
	scratch []vec.Vector // of a batch's columns
}

// NewWriter adds a writer. Make all writers before the first row is appended: rows are
// put in order as soon as no writer can send earlier ones.
func (a *Appender) NewWriter() *AppendWriter {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := &AppendWriter{app: a, seq: math.MinInt64, open: true, coders: newCoders(a.schema, a.w.view.segRows), scratch: make([]vec.Vector, len(a.schema.Columns))}
	a.writers = append(a.writers, w)
	return w
}

// Append adds a batch of vectors in schema order, cast to the columns' types; they are
// copied. Rows end up by ascending seq; one writer's numbers must not go down, and
// numbers may be missing or repeated. Errors are those of Insert; the load cannot go
// on after one.
func (w *AppendWriter) Append(seq int64, cols []*vec.Vector) error {
	a := w.app
	cols, err := w.prepare(cols)
	if err != nil {
		return a.fail(err)
	}
	if seq < w.seq {
		return a.fail(sqlerr.Internal("the appender got sequence number %d after %d", seq, w.seq))
	}
	n := cols[0].N
	for from := 0; from < n; {
		if seq != w.seq || w.full() {
			if err := w.hand(seq); err != nil {
				return err
			}
		}
		if w.cur == nil {
			w.cur = a.newChunk()
		}
		to := min(n, from+a.w.view.segRows-w.cur.rows)
		if err := w.add(sliced(cols, from, to), to-from); err != nil {
			return a.fail(err)
		}
		from = to
	}
	return nil
}

// prepare fills in AUTO_INCREMENT values and applies the schema's rules.
func (w *AppendWriter) prepare(cols []*vec.Vector) ([]*vec.Vector, error) {
	a := w.app
	if len(cols) != len(a.schema.Columns) {
		return nil, sqlerr.New(sqlerr.WrongValueCountOnRow, "Column count doesn't match value count at row %d", w.n+1)
	}
	cols = slices.Clone(cols)
	for i := range cols {
		if col := &a.schema.Columns[i]; col.AutoInc {
			var err error
			if cols[i], err = a.number(col, cols[i]); err != nil {
				return nil, err
			}
		}
	}
	if a.schema.Rules == nil {
		return cols, nil
	}
	for i := range cols {
		if col := &a.schema.Columns[i]; col.Generated != "" {
			cols[i] = nil
		} else {
			var err error
			if cols[i], err = conform(col, cols[i], w.n, nil); err != nil {
				return nil, err
			}
		}
	}
	return cols, a.tx.complete(a.schema, cols, w.n)
}

// full is true when the rows so far should be handed over.
func (w *AppendWriter) full() bool {
	return w.cur != nil && (w.cur.rows >= w.app.w.view.segRows || w.cur.text() >= segmentBytes)
}

// add checks n rows and adds them to the current chunk.
func (w *AppendWriter) add(cols []*vec.Vector, n int) error {
	for i, v := range cols {
		def, k := &w.app.schema.Columns[i], &w.cur.cols[i]
		c := w.coder(i)
		if c != nil && k.takes(c) && c.translates(v) && !(def.NotNull && v.MayHaveNulls()) {
			bad, err := k.addForeign(v, c)
			if bad >= 0 {
				err = dataTooLong(def, w.n+bad)
			}
			if err != nil {
				return err
			}
			continue
		}
		flat, err := conform(def, v, w.n, &w.scratch[i])
		if err != nil {
			return err
		}
		if err := k.addCoded(flat, c); err != nil {
			return err
		}
	}
	w.cur.rows += n
	w.n += n
	return nil
}

// coder gives the coder of a string column, nil for other columns. A full one makes place
// where none of its codes are in the current chunk.
func (w *AppendWriter) coder(i int) *coder {
	c := w.coders[i]
	if c != nil && c.full() && w.cur.cols[i].n == 0 {
		c = newCoder(w.app.w.view.segRows)
		w.coders[i] = c
	}
	return c
}

// number fills in the AUTO_INCREMENT values and keeps the first one made. They follow the
// rows' order where there is only one writer.
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

// AppendRecord adds an Arrow record whose columns are the table's in order.
func (w *AppendWriter) AppendRecord(seq int64, rec arrow.Record) error {
	cols := make([]*vec.Vector, rec.NumCols())
	for i, arr := range rec.Columns() {
		t, ok := types.FromArrow(arr.DataType())
		if !ok {
			return w.app.fail(sqlerr.Unsupported(-1, "Arrow type %s", arr.DataType()))
		}
		cols[i] = &vec.Vector{}
		if err := arrowvec.FromArray(arr, t, 0, arr.Len(), cols[i]); err != nil {
			return w.app.fail(err)
		}
	}
	return w.Append(seq, cols)
}

// Close ends the writer; the error is the load's first.
func (w *AppendWriter) Close() error {
	if !w.open {
		return nil
	}
	w.open = false
	return w.hand(math.MaxInt64)
}

// hand gives the rows so far to the appender, goes on to number seq and seals what is
// complete then.
func (w *AppendWriter) hand(seq int64) error {
	a := w.app
	a.mu.Lock()
	if w.cur != nil && w.cur.rows > 0 {
		a.push(portion{w.seq, w.cur})
		w.cur = nil
	}
	w.seq = seq
	a.release()
	for a.err == nil && (a.rows >= a.w.view.segRows || a.bytes >= segmentBytes) {
		slot, cut := a.cut()
		a.mu.Unlock()
		seg, err := sealPortions(a.schema, cut)
		a.mu.Lock()
		a.parts[slot] = seg
		a.recycle(cut)
		if err != nil && a.err == nil {
			a.err = err
		}
	}
	err := a.err
	a.mu.Unlock()
	return err
}

// push keeps pending sorted; equal numbers stay in order of arrival.
func (a *Appender) push(p portion) {
	at, _ := slices.BinarySearchFunc(a.pending, p.seq, func(q portion, seq int64) int {
		if q.seq <= seq {
			return -1
		}
		return cmp.Compare(q.seq, seq)
	})
	a.pending = slices.Insert(a.pending, at, p)
}

// release moves the portions to ready that no writer can get ahead of any more.
func (a *Appender) release() {
	frontier := int64(math.MaxInt64)
	for _, w := range a.writers {
		frontier = min(frontier, w.seq)
	}
	n := 0
	for n < len(a.pending) && a.pending[n].seq <= frontier {
		a.rows += a.pending[n].rows
		a.bytes += a.pending[n].text()
		n++
	}
	a.ready = append(a.ready, a.pending[:n]...)
	a.pending = slices.Delete(a.pending, 0, n)
}

// cut takes about a segment's rows from ready and reserves their place.
func (a *Appender) cut() (slot int, cut []portion) {
	rows, bytes, n := 0, int64(0), 0
	for n < len(a.ready) && rows < a.w.view.segRows && bytes < segmentBytes {
		rows += a.ready[n].rows
		bytes += a.ready[n].text()
		n++
	}
	cut = slices.Clone(a.ready[:n])
	a.ready = slices.Delete(a.ready, 0, n)
	a.rows -= rows
	a.bytes -= bytes
	a.parts = append(a.parts, nil)
	return len(a.parts) - 1, cut
}

func sealPortions(schema *catalog.Schema, ps []portion) (*segment, error) {
	chunks := make([]*chunk, len(ps))
	for i, p := range ps {
		chunks[i] = p.chunk
	}
	return sealChunks(schema, chunks)
}

// newChunk gives an empty chunk, one that was sealed before if there is any.
func (a *Appender) newChunk() *chunk {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n := len(a.spare); n > 0 {
		c := a.spare[n-1]
		a.spare = a.spare[:n-1]
		return c
	}
	return newChunk(a.schema)
}

// recycle keeps the chunks of sealed portions.
func (a *Appender) recycle(ps []portion) {
	for _, p := range ps {
		a.spare = append(a.spare, p.chunk)
	}
}

// Abandon gives the load up for err, so that closing the writers seals nothing more.
func (a *Appender) Abandon(err error) { _ = a.fail(err) }

func (a *Appender) fail(err error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.err == nil {
		a.err = err
	}
	return a.err
}

// Finish makes the rows the transaction's own and tells how many there were. All
// writers must be closed. On error (a writer's, or 1062) the table is unchanged.
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
	if len(a.parts) > 0 || a.rows >= a.w.view.minSegment() {
		if err := a.sealRest(ctx); err != nil {
			return 0, err
		}
	}
	next := a.w.view.withOwn()
	rows, undo, err := a.enter(ctx, next)
	if err != nil {
		undoAll(undo)
		return 0, err
	}
	a.tx.keepUndo(undo)
	a.tx.autoID = a.first
	next.churn += rows
	a.w.view = next
	return rows, nil
}

// sealRest seals what is ready, side by side.
func (a *Appender) sealRest(ctx context.Context) error {
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	var mu sync.Mutex
	for len(a.ready) > 0 {
		mu.Lock()
		slot, cut := a.cut()
		mu.Unlock()
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return sqlerr.From(err)
			}
			seg, err := sealPortions(a.schema, cut)
			mu.Lock()
			defer mu.Unlock()
			a.parts[slot] = seg
			return err
		})
	}
	return g.Wait()
}

// enter adds the segments, or the few rows, to next's own rows and their keys to the
// transaction's.
func (a *Appender) enter(ctx context.Context, next *version) (rows int64, undo []func(), err error) {
	own := next.own
	if len(a.parts) > 0 {
		if err := own.sealTail(); err != nil {
			return 0, nil, err
		}
		own.segs = slices.Clip(own.segs)
	}
	for _, seg := range a.parts {
		cols, err := seg.keyColumns(next)
		if err != nil {
			return 0, undo, err
		}
		u, err := a.tx.claim(ctx, a.w, next, cols, seg.rows, own.tail.base)
		undo = append(undo, u...)
		if err != nil {
			return 0, undo, err
		}
		own.segs = append(own.segs, sealed{segment: seg, base: own.tail.base})
		own.tail.base += int64(seg.rows)
		rows += int64(seg.rows)
	}
	for _, p := range a.ready {
		seg, err := sealChunks(a.schema, []*chunk{p.chunk})
		if err != nil {
			return 0, undo, err
		}
		cols, err := seg.flat(a.schema)
		if err != nil {
			return 0, undo, err
		}
		u, err := a.tx.claim(ctx, a.w, next, cols, seg.rows, own.tail.base+int64(own.tail.n))
		undo = append(undo, u...)
		if err != nil {
			return 0, undo, err
		}
		own.tail = own.tail.append(a.schema, cols, seg.rows)
		rows += int64(seg.rows)
	}
	return rows, undo, nil
}

// keyColumns reads the columns of v's keys flat; the others are nil.
func (s *segment) keyColumns(v *version) ([]*vec.Vector, error) {
	cols := make([]*vec.Vector, len(s.cols))
	for _, k := range v.keys {
		for _, c := range k.cols {
			if cols[c] != nil {
				continue
			}
			var col vec.Vector
			if err := s.cols[c].read(&v.schema.Columns[c], 0, s.rows, &col); err != nil {
				return nil, err
			}
			cols[c] = col.Flatten(nil)
		}
	}
	return cols, nil
}
