package files

import (
	"hash/fnv"
	"slices"

	"gsql/sql/catalog"
	"gsql/sql/vec"
	"gsql/storage/files/format"
)

// mostSampled is the number of files of a table whose rows are sampled at most.
const mostSampled = 16

// sampledFile is a file of a table whose rows are sampled.
type sampledFile struct {
	file      int
	stretches int // of its rows in the sample
}

// Sample implements catalog.Sampler. The rows of a table of several files are those of up to
// mostSampled files, in proportion to their rows.
func (t *table) Sample(columns []int) (*vec.Batch, *catalog.Findings) {
	t.Stats()
	t.mu.Lock()
	defer t.mu.Unlock()
	defer t.recount()
	if len(t.parts) == 1 && !slices.ContainsFunc(columns, func(c int) bool { return c >= t.own }) {
		p := t.parts[0].Preview(format.PreviewRows)
		if p == nil {
			return nil, nil
		}
		return p.Columns(t.ctx, columns)
	}
	if t.stats == nil {
		return nil, nil
	}
	if t.sampled == nil {
		t.sampled, t.findings = make([]*vec.Vector, len(t.schema.Columns)), &catalog.Findings{}
		t.files = t.sampledFiles()
	}
	b := &vec.Batch{}
	for _, c := range columns {
		if c == t.rowNumber {
			return nil, nil
		}
		if t.sampled[c] == nil {
			t.sampled[c] = t.sampleColumn(c)
		}
		if t.sampled[c] == nil {
			return nil, nil
		}
		b.Cols, b.N = append(b.Cols, t.sampled[c]), t.sampled[c].N
	}
	return b, t.findings
}

// sampleColumn returns the sampled rows of a column from all sampled files, or nil if one of them
// does not show the column.
func (t *table) sampleColumn(column int) *vec.Vector {
	var of []*vec.Vector
	var takes []int
	for _, f := range t.files {
		p := t.parts[f.file].Preview(f.stretches * format.PreviewStretch)
		if p == nil {
			return nil
		}
		b, _ := p.Columns(t.ctx, []int{min(column, t.own-1)}) // its length is the number of rows
		if b == nil {
			return nil
		}
		v := b.Cols[0]
		if column >= t.own {
			v = constant(t.dirs.datum(column-t.own, f.file), b.N)
		}
		if v.Type != t.schema.Columns[column].Type {
			return nil
		}
		of, takes = append(of, v), append(takes, min(f.stretches, b.N/format.PreviewStretch))
	}
	if len(of) == 0 {
		return nil
	}
	return interleaved(of, takes, t.name)
}

// constant returns a vector of n times the same value.
func constant(d catalog.Datum, n int) *vec.Vector {
	v := vec.NewFlat(d.Type, n)
	for i := range n {
		d.Put(v, i)
	}
	return v
}

// sampledFiles chooses the files, of about equal shares of the rows. A file that has several shares
// is listed once, with as many stretches.
func (t *table) sampledFiles() (files []sampledFile) {
	shares := min(len(t.parts), mostSampled)
	total, before, last := t.stats.Rows, int64(0), -1
	next := 0
	for i, p := range t.parts {
		rows := p.Stats(t.ctx).Rows
		if rows < format.PreviewStretch {
			continue
		}
		for next < shares && before+rows > total*int64(2*next+1)/int64(2*shares) {
			if last != i {
				files = append(files, sampledFile{file: i})
			}
			files[len(files)-1].stretches += format.PreviewRows / format.PreviewStretch / shares
			last = i
			next++
		}
		before += rows
	}
	return files
}

// interleaved returns some stretches of each column, in four rounds. A column's own order is such that
// its first quarter covers its whole file, and so does the result's for all files. Each stretch is an
// arbitrary one among an equal share of the column's, as in format.Starts.
func interleaved(of []*vec.Vector, takes []int, name string) *vec.Vector {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name))
	total := 0
	for _, n := range takes {
		total += n * format.PreviewStretch
	}
	out, n := vec.NewFlat(of[0].Type, total), 0
	for round := range 4 {
		for i, v := range of {
			stretches := v.N / format.PreviewStretch
			for k := round * takes[i] / 4; k < (round+1)*takes[i]/4; k++ {
				_, _ = hash.Write([]byte{byte(k)})
				lo, hi := k*stretches/takes[i], (k+1)*stretches/takes[i]
				at := (lo + int(hash.Sum64()>>33)%(hi-lo)) * format.PreviewStretch
				for row := at; row < at+format.PreviewStretch; row++ {
					catalog.DatumAt(v, row).Put(out, n)
					n++
				}
			}
		}
	}
	return out
}
