package lower_test

import (
	"encoding/binary"
	"math"
	"testing"

	"gsql/gpu"
	"gsql/gpu/pipeline"
	"gsql/gpu/pipeline/pipelinetest"
	"gsql/gpu/pipeline/ptx"
	simulated "gsql/gpu/sim/ptx"
)

// executor runs the kernels of programs on the CPU. Every column is far from the others.
type executor struct{ memory [][]byte }

const apart = 1 << 32

// Find implements simulated.Memory.
func (x *executor) Find(p uint64) ([]byte, uint64) {
	if n := p / apart; n > 0 && n <= uint64(len(x.memory)) {
		return x.memory[n-1], n * apart
	}
	return nil, 0
}

func (x *executor) add(raw []byte) uint64 {
	x.memory = append(x.memory, append(raw, make([]byte, gpu.Alignment-len(raw)%gpu.Alignment)...))
	return uint64(len(x.memory)) * apart
}

// run runs a program over base columns and returns the result's columns and its rows. full reports
// whether an index was full or had a key twice that should be unique.
func (x *executor) run(t *testing.T, p *pipeline.Program, base func(column int) pipelinetest.Column) (result []pipelinetest.Column, rows int, full bool) {
	t.Helper()
	code, err := ptx.Compile(p, ptx.Options{Shared: 48 << 10})
	if err != nil {
		t.Fatal(err)
	}
	columns := append(append([]pipeline.Column{}, p.Columns...), code.Extra...)
	values, valid := make([]uint64, len(columns)), make([]uint64, len(columns))
	for i := range columns {
		values[i], valid[i] = x.bring(&columns[i], i, base)
	}
	launch := func(i int) {
		l := &code.Launches[i]
		if l.Prebuilt != nil {
			x.prebuilt(l.Prebuilt, columns, values)
			return
		}
		if l.Rows == 0 {
			return
		}
		args := make([]uint64, len(l.Params))
		for n, a := range l.Params {
			args[n] = map[ptx.ParamKind]uint64{ptx.Rows: uint64(l.Rows), ptx.First: 0, ptx.Values: values[a.Column], ptx.Valid: valid[a.Column]}[a.Of]
		}
		m, err := simulated.Parse(l.Text)
		if err == nil {
			blocks := (l.Rows + int64(l.Tile) - 1) / int64(l.Tile)
			err = m.Run(l.Entry, simulated.Launch{Blocks: int(min(blocks, 2)), Threads: l.Threads, Shared: l.Shared}, args, x)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range code.Launches {
		if launch(i); p.Passes == nil || i != p.Passes.Probe {
			continue
		}
		for pass := 1; pass < p.Passes.Count; pass++ {
			slots := x.memory[values[p.Indexes[p.Passes.Index].Slots]/apart-1]
			for k := range slots {
				slots[k] = 0xff
			}
			x.memory[values[p.Passes.Part]/apart-1][0] = byte(pass)
			launch(p.Passes.Build)
			launch(p.Passes.Probe)
		}
	}
	if x.read(values[code.Status], &columns[code.Status], 2).Ints[0] != 0 || x.read(values[code.Status], &columns[code.Status], 2).Ints[1] != 0 {
		return nil, 0, true
	}
	for i := range p.Pipelines {
		if s := &p.Pipelines[i].Sink; s.Op == pipeline.Write {
			rows = int(x.read(values[s.Count], &columns[s.Count], 1).Ints[0])
			for _, st := range s.Stores {
				if size := columns[st.Column].Size; s.Partial {
					rows = min(rows, int(size))
				} else {
					full = full || int64(rows) > size
				}
			}
		}
	}
	if full {
		return nil, 0, true
	}
	for _, c := range p.Result.Columns {
		result = append(result, x.read(values[c], &columns[c], rows))
	}
	return result, rows, false
}

// bring sets the first values of a column.
func (x *executor) bring(c *pipeline.Column, i int, base func(int) pipelinetest.Column) (values, valid uint64) {
	if c.Data != nil {
		return x.add(append([]byte{}, c.Data...)), 0
	}
	if c.Relation == pipeline.None {
		raw := make([]byte, 0, c.Size*int64(c.Width))
		word := binary.LittleEndian.AppendUint64(nil, uint64(c.Init))
		for range c.Size {
			raw = append(raw, word[:c.Width]...)
		}
		return x.add(raw), 0
	}
	var raw []byte
	host := base(i)
	bits := make([]byte, len(host.Valid)/8+8)
	for r := range max(len(host.Ints), len(host.Floats)) {
		word := make([]byte, 8)
		if host.Floats != nil {
			binary.LittleEndian.PutUint64(word, math.Float64bits(host.Floats[r]))
		} else if host.Valid == nil || host.Valid[r] {
			binary.LittleEndian.PutUint64(word, uint64(host.Ints[r]-c.Bias))
		}
		raw = append(raw, word[:c.Width]...)
		if host.Valid != nil && host.Valid[r] {
			bits[r/8] |= 1 << (r % 8)
		}
	}
	return x.add(raw), x.add(bits)
}

func (x *executor) prebuilt(pl *pipeline.Pipeline, columns []pipeline.Column, values []uint64) {
	pipelinetest.Prebuilt(pl, func(column, rows int) []int64 {
		return x.read(values[column], &columns[column], rows).Ints
	}, func(column int, all []int64) {
		width := columns[column].Width
		for i, v := range all {
			copy(x.memory[values[column]/apart-1][i*width:], binary.LittleEndian.AppendUint64(nil, uint64(v))[:width])
		}
	})
}

func (x *executor) read(at uint64, c *pipeline.Column, rows int) pipelinetest.Column {
	return pipelinetest.Stored(c, x.memory[at/apart-1], rows)
}
