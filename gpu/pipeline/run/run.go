package run

import (
	"encoding/binary"
	"errors"
	"slices"

	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/gpu/pipeline"
	"gsql/gpu/pipeline/ptx"
	"gsql/internal/mem"
	"gsql/sql/sqlerr"
)

// Rows holds the rows of a result. They are in no particular order, unless Ordered says that they are in
// that of the result, without those beyond its limit. Their memory is charged to an account.
type Rows struct {
	Count   int
	Ordered bool
	Columns []Column // one for each of Program.Result
	Zeros   uint32   // divisions by 0
	held    mem.Buffers
}

// Column holds the values of a result's column as they were stored: doubles, or integers, which are
// unsigned unless Width is 8. They are little-endian.
type Column struct {
	Width int
	Bytes []byte
}

// Free returns the memory of the rows. It may be called on nil.
func (r *Rows) Free() {
	if r != nil {
		r.held.Free()
	}
}

// Bytes returns the size of the rows.
func (r *Rows) Bytes() (n int64) {
	for _, c := range r.Columns {
		n += int64(len(c.Bytes))
	}
	return n
}

// Run runs the job with a task and returns the rows, which are charged to acct and freed by the
// caller. Columns of tables are already on the device, or feeds have them. If the result is longer than
// estimated, the job runs again with more space: longer is the job that had enough.
func (j *Job) Run(t *engine.Task, acct *mem.Account, in Inputs) (rows *Rows, longer *Job, err error) {
	mark := t.Mark()
	for {
		r := &attempt{Job: j, t: t, acct: acct}
		rows, err = r.run(in)
		if err = errors.Join(err, t.Release(mark)); err != nil {
			rows.Free()
			return nil, nil, err
		}
		if rows.Columns != nil {
			return rows, j, nil
		}
		if j, err = j.longer(int64(rows.Count), t.SharedPerBlock()); err != nil {
			return nil, nil, err
		}
	}
}

// attempt is one run of a job.
type attempt struct {
	*Job
	t      *engine.Task
	acct   *mem.Account
	layout *layout
	base   gpu.Ptr // of the columns with a Size

	values, valid []gpu.Ptr // of all columns
	feeds         []Feed    // by column; nil for those that are on the device
	nulls         []bool    // whether a feed's column has NULLs

	counted map[int]int64 // counts of rows that the host has read, by column
}

// run returns the rows, or only their number if the columns of the result are too short.
func (r *attempt) run(in Inputs) (*Rows, error) {
	err := r.bring(in)
	if err == nil {
		err = r.t.Load(r.modules)
	}
	if err == nil {
		err = r.fill()
	}
	for i := 0; err == nil && i < len(r.code.Launches); i++ {
		err = r.launch(&r.code.Launches[i])
		if s := r.program.Passes; s != nil && i == s.Probe && err == nil {
			err = r.passes(s)
		}
	}
	var rows *Rows
	if err == nil {
		rows, err = r.download()
	}
	if err != nil { // queued work still uses the run's memory
		return nil, errors.Join(err, r.t.Device.Sync(r.t.Compute))
	}
	return rows, nil
}

// bring finds or allocates the memory of all columns.
func (r *attempt) bring(in Inputs) (err error) {
	r.layout = r.layOut()
	r.values, r.valid = make([]gpu.Ptr, len(r.columns)), make([]gpu.Ptr, len(r.columns))
	r.feeds, r.nulls = make([]Feed, len(r.columns)), make([]bool, len(r.columns))
	if r.base, err = r.t.Alloc(r.layout.from[parts]); err != nil {
		return err
	}
	for i := range r.columns {
		switch c := &r.columns[i]; {
		case c.Relation != pipeline.None:
			n := in.Column(c.Relation, c.Ordinal)
			if n.Width != c.Width || n.Bias != c.Bias || n.Float != (c.Kind == pipeline.Float) || n.Valid != 0 && !c.Nullable {
				return sqlerr.Internal("column %d of relation %d is not as its program expects", c.Ordinal, c.Relation)
			}
			r.values[i], r.valid[i] = n.Values, n.Valid
			if in.Feed != nil {
				r.feeds[i], r.nulls[i] = in.Feed(c.Relation, c.Ordinal), c.Nullable
			}
			if r.feeds[i] != nil && !r.source[i] {
				return sqlerr.Internal("column %d of relation %d is read at rows of other pipelines", c.Ordinal, c.Relation)
			}
		case c.Data != nil:
			r.values[i], err = r.constants(c.Data)
		default:
			r.values[i] = r.base + gpu.Ptr(r.layout.at[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// constants queues copying a table of constants to the device.
func (r *attempt) constants(data []byte) (gpu.Ptr, error) {
	p, err := r.t.Alloc(aligned(int64(len(data))))
	if err == nil {
		err = r.t.Device.CopyToDevice(p, data, r.t.Compute)
	}
	return p, err
}

// launch queues the kernel of one pipeline, once or for each block of its source.
func (r *attempt) launch(l *ptx.Launch) error {
	if l.Prebuilt != nil {
		return r.prebuilt(l.Prebuilt)
	}
	columns, feed, err := r.streamed(l)
	switch {
	case err != nil:
		return err
	case feed != nil && l.Rows > 0:
		return r.stream(l, columns, feed)
	}
	return r.launchRows(l, 0, l.Rows)
}

// passes launches the passes after the first.
func (r *attempt) passes(s *pipeline.Passes) error {
	slots := r.program.Indexes[s.Index].Slots
	for pass := 1; pass < s.Count; pass++ {
		c := &r.columns[slots]
		err := r.t.Fill(r.values[slots], 0xff, c.Size*int64(c.Width))
		if err == nil {
			err = r.t.Fill(r.values[s.Part], byte(pass), 1)
		}
		for _, i := range []int{s.Build, s.Probe} {
			if err == nil {
				err = r.launch(&r.code.Launches[i])
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// launchRows queues a kernel for a part of the rows of its source.
func (r *attempt) launchRows(l *ptx.Launch, from, to int64) error {
	args := make([]uint64, len(l.Params))
	for i, p := range l.Params {
		switch p.Of {
		case ptx.Rows:
			args[i] = uint64(to)
		case ptx.First:
			args[i] = uint64(from)
		case ptx.Values:
			args[i] = uint64(r.values[p.Column])
		case ptx.Valid:
			if args[i] = uint64(r.valid[p.Column]); args[i] == 0 {
				return sqlerr.Internal("column %d of a program has no bits for NULLs", p.Column)
			}
		}
	}
	tiles := (to - from + int64(l.Tile) - 1) / int64(l.Tile)
	return r.t.LaunchEntry(l.Entry, min(tiles, r.t.Resident(l.Threads, l.Shared)), l.Threads, l.Shared, args...)
}

// atOnce is the size up to which the whole columns of the result are copied to the host together
// with the number of rows: a second copy would take longer.
const atOnce = 128 << 10

// download waits for the kernels and returns the rows, or only their number if the columns of the
// result are too short.
func (r *attempt) download() (*Rows, error) {
	l := r.layout
	from, to := l.from[head], l.from[result]
	if l.from[ones]-from <= atOnce {
		to = l.from[ones]
	}
	first := make([]byte, to-from)
	if err := r.t.Download(engine.Piece{To: first, From: r.base + gpu.Ptr(from)}); err != nil {
		return nil, err
	}
	word := func(column int) uint32 { return binary.LittleEndian.Uint32(first[l.at[column]-from:]) }
	status := first[l.at[r.code.Status]-from:]
	switch {
	case binary.LittleEndian.Uint32(status[4:]) != 0:
		return nil, ErrRepeated
	case binary.LittleEndian.Uint32(status) != 0:
		return nil, ErrFull
	case binary.LittleEndian.Uint32(status[8:]) != 0:
		return nil, ErrFailed
	}
	count, fits := 0, true
	for i := range r.program.Pipelines {
		s := &r.program.Pipelines[i].Sink
		if s.Op != pipeline.Write {
			continue
		}
		most := capacity(r.columns, s)
		count = int(word(s.Count))
		if s.Partial {
			count = min(count, int(most))
		}
		if fits = int64(count) <= most; !fits && i < len(r.program.Pipelines)-1 {
			return nil, ErrFull
		}
	}
	rows := &Rows{Count: count, Zeros: binary.LittleEndian.Uint32(status[12:])}
	if !fits {
		return rows, nil
	}
	if o := r.program.Result.Order; o != nil && len(o.Words) > 0 && count > pipeline.HostRows {
		return rows, r.receiveSorted(o, rows)
	}
	return rows, r.receive(rows, first[min(l.from[result], to)-from:])
}

// receiveSorted copies the columns of the result to rows in their order, or as they are if the device has no
// memory for a sort.
func (r *attempt) receiveSorted(o *pipeline.Order, rows *Rows) error {
	values := slices.Clone(r.values)
	n, err := r.sort(o, rows.Count)
	switch {
	case err == nil:
		rows.Count, rows.Ordered = n, true
	case errors.Is(err, sqlerr.OutOfMemory):
		r.values = values
	default:
		return err
	}
	return r.receive(rows, nil)
}

// receive copies the columns of the result to rows. present is the part that has already been
// copied.
func (r *attempt) receive(rows *Rows, present []byte) error {
	rows.Columns = make([]Column, len(r.program.Result.Columns))
	var pieces []engine.Piece
	for i, c := range r.program.Result.Columns {
		width := r.columns[c].Width
		b, err := mem.Scratch[byte](r.acct, rows.Count*width)
		if err != nil {
			rows.Free()
			return err
		}
		rows.held.Add(b)
		rows.Columns[i] = Column{Width: width, Bytes: b.S}
		if at := r.layout.at[c] - r.layout.from[result]; len(present) > 0 {
			copy(b.S, present[at:])
		} else if len(b.S) > 0 {
			pieces = append(pieces, engine.Piece{To: b.S, From: r.values[c]})
		}
	}
	if len(pieces) == 0 {
		return nil
	}
	err := r.t.Download(pieces...)
	if err != nil {
		rows.Free()
	}
	return err
}
