// Package run executes pipeline programs on a device: it brings their columns there, launches their
// kernels one after another and returns the rows of the result.
package run

import (
	"errors"
	"slices"

	"gsql/gpu"
	"gsql/gpu/pipeline"
	"gsql/gpu/pipeline/ptx"
	"gsql/sql/sqlerr"
)

// ErrFull is the error of a run whose hash indexes, or columns of rows between pipelines, were too
// short because estimates were too low. A program for more rows may succeed.
var ErrFull = errors.New("more rows on the device than estimated")

// ErrRepeated is the error of a run in which keys repeat that were expected to be unique.
var ErrRepeated = errors.New("keys repeat on the device")

// ErrFailed is the error of a run in which a value was out of its type's range. The CPU knows which one, and
// whether MySQL computes it.
var ErrFailed = errors.New("a value is out of range on the device")

// Job is a program with its kernels. It never changes and may run several times.
type Job struct {
	program *pipeline.Program
	code    *ptx.Code
	columns []pipeline.Column // of the program and of the code
	modules []gpu.Module
	counts  []int  // of the rows that pipelines write; the last is the result's
	source  []bool // Program.Sources, by column
}

// New generates the kernels of a program, which must not change afterwards. shared is the device's
// SharedPerBlock.
func New(p *pipeline.Program, shared int) (*Job, error) {
	code, err := ptx.Compile(p, ptx.Options{Shared: shared})
	if err != nil {
		return nil, err
	}
	j := &Job{program: p, code: code, source: p.Sources(), columns: slices.Concat(p.Columns, code.Extra), modules: []gpu.Module{ptx.Fills}}
	for i := range code.Launches {
		if l := &code.Launches[i]; l.Prebuilt == nil {
			j.modules = append(j.modules, gpu.Module{Name: l.Entry, PTX: l.Text})
		}
	}
	for i := range p.Pipelines {
		if s := &p.Pipelines[i].Sink; s.Op == pipeline.Write {
			j.counts = append(j.counts, s.Count)
		}
	}
	if len(j.counts) == 0 || j.counts[len(j.counts)-1] != p.Result.Count {
		return nil, sqlerr.Internal("a pipeline program without a result")
	}
	return j, nil
}

// Modules returns the modules of the kernels, which Run loads. They must not be changed.
func (j *Job) Modules() []gpu.Module { return j.modules }

// longer returns the job with space for the given number of rows of the result.
func (j *Job) longer(rows int64, shared int) (*Job, error) {
	p := *j.program
	p.Columns = slices.Clone(p.Columns)
	for _, st := range p.Pipelines[len(p.Pipelines)-1].Sink.Stores {
		p.Columns[st.Column].Size = max(p.Columns[st.Column].Size, rows)
	}
	return New(&p, shared)
}

// capacity returns how many rows a Write sink has space for.
func capacity(columns []pipeline.Column, s *pipeline.Sink) int64 {
	least := int64(1)<<32 - 1
	for _, st := range s.Stores {
		least = min(least, columns[st.Column].Size)
	}
	return least
}
