package run

import (
	"errors"

	"gsql/gpu"
	"gsql/gpu/column"
	"gsql/gpu/engine"
	"gsql/gpu/pipeline/ptx"
	"gsql/sql/sqlerr"
)

// Inputs are the tables of a program.
type Inputs struct {
	// Column returns a column. If a Feed has it, its address is not used.
	Column func(relation, ordinal int) column.Narrow
	// Feed returns the feed of a column that is not on the device as a whole, else nil. Those of a
	// relation that a pipeline reads have the same feed. Feed itself is nil if there is none.
	Feed func(relation, ordinal int) Feed
}

// Feed holds rows of columns in host memory.
type Feed interface {
	// Stream fills blocks of a stream, whose columns are those with the given ordinals, with all rows,
	// and passes them to run one by one.
	Stream(s *engine.Stream, ordinals []int, run func(b *engine.Block, first, rows int64) error) error
}

// SourceOnly reports whether a Feed can have a column of a table: the program reads it only at the rows of
// its pipelines' sources.
func (j *Job) SourceOnly(relation, ordinal int) bool {
	return j.program.SourceOnly(relation, ordinal)
}

// Unordered reports whether a Feed may have the rows of a table in any order.
func (j *Job) Unordered(relation int) bool { return j.program.Unordered(relation) }

// Bytes returns the device memory that the job takes besides the columns of tables.
func (j *Job) Bytes() int64 {
	bytes := j.layOut().from[parts]
	for i := range j.columns {
		if d := j.columns[i].Data; d != nil {
			bytes += aligned(int64(len(d)))
		}
	}
	scratch := int64(0)
	for i := range j.code.Launches {
		if p := j.code.Launches[i].Prebuilt; p != nil {
			scratch = max(scratch, j.scratch(p))
		}
	}
	return bytes + scratch
}

// streamed returns the numbers of the columns that feeds have among those that a kernel reads, and the feed.
func (r *attempt) streamed(l *ptx.Launch) (columns []int, feed Feed, err error) {
	for _, p := range l.Params {
		if p.Of != ptx.Values || p.Column >= len(r.feeds) || r.feeds[p.Column] == nil {
			continue
		}
		if feed != nil && r.feeds[p.Column] != feed {
			return nil, nil, sqlerr.Internal("a pipeline of two sources")
		}
		feed, columns = r.feeds[p.Column], append(columns, p.Column)
	}
	return columns, feed, nil
}

// stream launches a kernel for each block of a feed's rows.
func (r *attempt) stream(l *ptx.Launch, columns []int, feed Feed) error {
	forms, ordinals := make([]engine.StreamColumn, len(columns)), make([]int, len(columns))
	for i, c := range columns {
		forms[i] = engine.StreamColumn{Width: r.columns[c].Width, Nullable: r.nulls[c]}
		ordinals[i] = r.columns[c].Ordinal
	}
	s, err := r.t.NewStream(forms, l.Rows)
	if err != nil {
		return err
	}
	err = feed.Stream(s, ordinals, func(b *engine.Block, first, rows int64) error {
		return s.Run(b, first, rows, func(values, valid []gpu.Ptr) error {
			for i, c := range columns {
				r.values[c], r.valid[c] = values[i], valid[i]
			}
			return r.launchRows(l, first, first+rows)
		})
	})
	return errors.Join(err, s.Close())
}
