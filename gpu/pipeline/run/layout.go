package run

import (
	"gsql/gpu"
	"gsql/gpu/engine"
	"gsql/gpu/pipeline"
	"gsql/gpu/pipeline/ptx"
)

// part is the part of a run's memory that contains a column. Columns with the same initial value
// are adjacent, so that one command fills them. Columns that are always copied to the host are
// adjacent to the result.
type part uint8

const (
	zeros  part = iota
	head        // zeros that are always copied to the host
	result      // written before they are read
	ones        // all bits set
	others
	parts
)

// layout holds the offsets of the columns with a Size, in bytes from the beginning of the run's
// memory.
type layout struct {
	at   []int64
	part []part
	from [parts + 1]int64 // where each part begins; the last is the end
}

// layOut arranges the columns of a job.
func (j *Job) layOut() *layout {
	l := &layout{at: make([]int64, len(j.columns)), part: make([]part, len(j.columns))}
	for i := range j.columns {
		l.part[i] = partOf(&j.columns[i])
	}
	l.part[j.code.Status] = head
	for _, c := range j.counts {
		l.part[c] = head
	}
	for _, st := range j.program.Pipelines[len(j.program.Pipelines)-1].Sink.Stores {
		l.part[st.Column] = result
	}
	end := int64(0)
	for p := range parts {
		l.from[p] = end
		for i := range j.columns {
			if c := &j.columns[i]; l.part[i] == p && isSized(c) {
				l.at[i] = end
				end += aligned(c.Size * int64(c.Width))
			}
		}
	}
	l.from[parts] = end
	return l
}

// isSized reports whether a column is neither one of a table nor of constants.
func isSized(c *pipeline.Column) bool { return c.Relation == pipeline.None && c.Data == nil }

func aligned(bytes int64) int64 { return (bytes + gpu.Alignment - 1) / gpu.Alignment * gpu.Alignment }

func partOf(c *pipeline.Column) part {
	unused := 64 - 8*c.Width
	switch c.Init << unused >> unused {
	case 0:
		return zeros
	case -1:
		return ones
	}
	return others
}

// fill queues the initialisation of all columns.
func (r *attempt) fill() error {
	l := r.layout
	if err := r.t.Fill(r.base+gpu.Ptr(l.from[zeros]), 0, l.from[result]-l.from[zeros]); err != nil {
		return err
	}
	if err := r.t.Fill(r.base+gpu.Ptr(l.from[ones]), 0xff, l.from[others]-l.from[ones]); err != nil {
		return err
	}
	for i := range r.columns {
		if c := &r.columns[i]; l.part[i] == others && isSized(c) {
			if err := fillWith(r.t, r.values[i], c); err != nil {
				return err
			}
		}
	}
	return nil
}

// fillWith queues filling a column with its Init. It fills columns of small elements several
// elements at a time, beyond the end, where there is space.
func fillWith(t *engine.Task, to gpu.Ptr, c *pipeline.Column) error {
	entry, width, value := ptx.Fill8, 8, uint64(c.Init)
	if c.Width < 8 {
		entry, width = ptx.Fill4, 4
		value &= 1<<(8*c.Width) - 1
		for w := c.Width; w < 4; w *= 2 {
			value |= value << (8 * w)
		}
	}
	n := (c.Size*int64(c.Width) + int64(width) - 1) / int64(width)
	blocks := min((n+ptx.FillThreads-1)/ptx.FillThreads, t.Resident(ptx.FillThreads, 0))
	return t.LaunchEntry(entry, blocks, ptx.FillThreads, 0, uint64(to), uint64(n), value)
}
