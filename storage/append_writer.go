package storage

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"github.com/apache/arrow/go/v17/arrow"

	"gsql/sql/arrowvec"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
	"gsql/storage/arrowtable"
	"gsql/storage/conform"
	"gsql/storage/segment"
	"gsql/storage/stats"
)

// AppendWriter writes rows of a load. Each writer is used by one goroutine.
type AppendWriter struct {
	app      *Appender
	seq      int64          // sequence number of the current rows; written under app.mu
	open     bool           // until Close
	cur      *segment.Chunk // nil while there are no rows in a chunk
	few      segment.Tail   // the first rows, used instead of cur while there are few
	handed   bool           // set once rows were handed to app
	expect   int            // expected rows of cur: as many as the previous chunk had
	n        int            // rows appended so far
	encoders []*segment.Encoder
	counts   []*stats.Sketch // sketches of the columns' values, without strings that are encoded
	charged  int64           // bytes of encoders and counts charged to app.held
	scratch  []vec.Vector    // columns of a batch, reused
}

// Append adds a batch of vectors in schema order, cast to the columns' types, and copies them.
// Rows are stored by ascending seq. The sequence numbers of one writer must not decrease; they
// may have gaps and repeat. Errors are those of Insert; the load cannot continue after one.
func (w *AppendWriter) Append(seq int64, cols []*vec.Vector) error {
	a := w.app
	var held heldTexts
	defer held.release(a.tx)
	cols, err := w.prepare(cols, &held)
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
		to := min(n, from+max(1, a.segmentRows()-w.rows()))
		if err := w.add(segment.Sliced(cols, from, to), to-from); err != nil {
			return a.fail(err)
		}
		from = to
	}
	return nil
}

// prepare fills in AUTO_INCREMENT values and applies the schema's rules.
func (w *AppendWriter) prepare(cols []*vec.Vector, held *heldTexts) ([]*vec.Vector, error) {
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
			if cols[i], err = conform.Vector(col, cols[i], w.n, nil); err != nil {
				return nil, err
			}
		}
	}
	return cols, completeRows(a.tx, a.schema, cols, w.n, held)
}

// fewRows is the largest number of rows that a load adds without chunks: those pay for many rows.
const fewRows = 1024

// rows returns the number of rows that have not been handed over.
func (w *AppendWriter) rows() int {
	if w.cur == nil {
		return w.few.N
	}
	return w.cur.Rows
}

// begin starts a chunk with the rows of few.
func (w *AppendWriter) begin() error {
	w.cur = w.app.newChunk()
	for i := range w.cur.Cols {
		c := w.encoder(i)
		if w.counts[i] == nil && (c == nil || c.Off) {
			w.counts[i] = stats.NewSketch()
		}
		w.cur.Cols[i].Count(c, w.counts[i])
		w.cur.Cols[i].Reserve(w.expect)
	}
	for _, b := range w.few.Batches() {
		if err := w.cur.Add(b, w.encoders); err != nil {
			return err
		}
	}
	w.few = segment.Tail{}
	return nil
}

// full reports whether the collected rows should be handed over.
func (w *AppendWriter) full() bool {
	return w.rows() >= w.app.segmentRows() || w.cur != nil && w.cur.Text() >= segment.MaxBytes || w.few.Bytes >= segment.MaxBytes
}

// addFew checks n rows and adds them to few.
func (w *AppendWriter) addFew(cols []*vec.Vector, n int) error {
	for i, v := range cols {
		var err error
		if cols[i], err = conform.Vector(&w.app.schema.Columns[i], v, w.n, &w.scratch[i]); err != nil {
			return err
		}
	}
	var err error
	if w.few, err = w.few.Append(w.app.w.view.mem, w.app.schema, cols, n); err != nil {
		return err
	}
	w.n += n
	return nil
}

// add checks n rows and adds them to the current chunk. It may change cols.
func (w *AppendWriter) add(cols []*vec.Vector, n int) error {
	if w.cur == nil {
		if !w.handed && w.few.N+n <= fewRows {
			return w.addFew(cols, n)
		}
		if err := w.begin(); err != nil {
			return err
		}
	}
	for i, v := range cols {
		def, k := &w.app.schema.Columns[i], &w.cur.Cols[i]
		c := w.encoder(i)
		if c != nil && k.Takes(c) && c.Translates(v) && !(def.NotNull && v.MayHaveNulls()) {
			bad, err := k.AddForeign(v, c)
			if bad >= 0 {
				err = conform.DataTooLong(def, w.n+bad)
			}
			if err != nil {
				return err
			}
			continue
		}
		flat, err := conform.Vector(def, v, w.n, &w.scratch[i])
		if err != nil {
			return err
		}
		if err := k.AddCoded(flat, c); err != nil {
			return err
		}
	}
	w.cur.Rows += n
	w.n += n
	if err := w.charge(); err != nil {
		return err
	}
	if w.app.target.Load() == 0 && w.cur.Rows >= fewestRows {
		w.app.plan(w)
	}
	return nil
}

// encoder returns the dictionary encoder of a string column, or nil for other columns. It
// replaces a full encoder if the current chunk has none of its codes.
func (w *AppendWriter) encoder(i int) *segment.Encoder {
	c := w.encoders[i]
	if c != nil && c.Full() && w.cur.Cols[i].N == 0 {
		c = segment.NewEncoder(w.app.w.view.segRows)
		w.encoders[i] = c
	}
	return c
}

// AppendRecord adds an Arrow record whose columns are the table's in order.
func (w *AppendWriter) AppendRecord(seq int64, rec arrow.Record) error {
	if err := arrowtable.CheckTexts(rec, w.app.schema, int64(w.n)); err != nil {
		return w.app.fail(err)
	}
	cols := make([]*vec.Vector, rec.NumCols())
	for i, arr := range rec.Columns() {
		t, ok := types.FromArrow(arr.DataType())
		if !ok {
			return w.app.fail(sqlerr.Unsupported(-1, "Arrow type %s", arr.DataType()))
		}
		cols[i] = &vec.Vector{}
		err := arrowvec.FromArray(arr, t, 0, arr.Len(), cols[i])
		if err == nil && i < len(w.app.schema.Columns) {
			cols[i], err = conform.Foreign(&w.app.schema.Columns[i], cols[i], w.n)
		}
		if err != nil {
			return w.app.fail(err)
		}
	}
	return w.Append(seq, cols)
}

// Close ends the writer and returns the load's first error.
func (w *AppendWriter) Close() error {
	if !w.open {
		return nil
	}
	w.open = false
	return w.hand(math.MaxInt64)
}

// hand passes the collected rows to the appender, moves on to sequence number seq, and seals the
// segments that are complete. The last writer to close leaves them to Finish: the rows of all others may have waited
// for its own, and Finish seals them on all cores.
func (w *AppendWriter) hand(seq int64) error {
	a := w.app
	a.mu.Lock()
	if !w.open {
		a.open--
	}
	if w.rows() > 0 {
		if a.target.Load() == 0 && w.cur != nil {
			a.plan(w)
		}
		w.expect = w.rows()
		a.push(portion{w.seq, w.cur, w.few})
		w.cur, w.few, w.handed = nil, segment.Tail{}, true
	}
	w.seq = seq
	a.release()
	for a.err == nil && a.open > 0 && a.complete() {
		slot, cut := a.cut()
		a.mu.Unlock()
		sealed, err := a.sealPortions(cut)
		a.mu.Lock()
		a.parts[slot] = sealed
		a.recycle(cut)
		if err != nil && a.err == nil {
			a.err = err
		}
	}
	err := a.err
	a.mu.Unlock()
	if w.open && err == nil {
		w.await()
	}
	return err
}

// charge adjusts the load's Holding to the current size of the writer's chunk, encoders and
// sketches.
func (w *AppendWriter) charge() error {
	if err := w.cur.Charge(w.app.held); err != nil {
		return err
	}
	n := int64(0)
	for i, c := range w.encoders {
		n += c.Footprint() + w.counts[i].Footprint()
	}
	if err := w.app.held.Grow(n - w.charged); err != nil {
		return err
	}
	w.charged = n
	return nil
}

// step keeps the writers of a load in step: rows that a writer reads far ahead of others wait in
// memory until all rows before them are there.
type step struct {
	ctx      context.Context // nil if writers do not wait
	most     atomic.Int64    // bytes of rows that may wait; 0 for any number
	frontier int64           // least sequence number of a writer
	moved    chan struct{}   // closed when the frontier moves or the load fails; nil if nobody waits
}

// waitingPart is the part of the memory, one in so many, that rows of a load may take that wait for
// earlier ones.
const waitingPart = 12

// InStep makes writers of a load into files wait when others lag behind and the memory is limited.
// It is for loads in which a writer that waits never keeps another from going on, and which close
// every writer, or call Abandon, once it has no more rows. It must be called before the first row
// is appended.
func (a *Appender) InStep(ctx context.Context) { a.step.ctx, a.step.frontier = ctx, math.MinInt64 }

// move sets the frontier. The caller holds the appender's lock, as for wake.
func (s *step) move(frontier int64) {
	if frontier > s.frontier {
		s.frontier = frontier
		s.wake()
	}
}

func (s *step) wake() {
	if s.moved != nil {
		close(s.moved)
		s.moved = nil
	}
}

// await waits while too many rows wait for those of writers that are behind w.
func (w *AppendWriter) await() {
	a := w.app
	if a.step.ctx == nil {
		return
	}
	a.mu.Lock()
	for a.err == nil && a.step.most.Load() > 0 && a.waiting > a.step.most.Load() && w.seq > a.step.frontier {
		if a.step.moved == nil {
			a.step.moved = make(chan struct{})
		}
		moved := a.step.moved
		a.mu.Unlock()
		select {
		case <-moved:
		case <-a.step.ctx.Done():
			return
		}
		a.mu.Lock()
	}
	a.mu.Unlock()
}
