package format

import (
	"context"
	"hash/fnv"
	"slices"
	"strings"
	"unsafe"

	"gsql/sql/catalog"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// A preview has about PreviewRows rows, in stretches of PreviewStretch adjacent ones, of at most
// previewColumns columns. It omits columns whose texts are longer than previewText bytes on
// average.
const (
	PreviewRows    = 2048
	PreviewStretch = 8
	previewColumns = 256
	previewText    = 256
)

// Preview holds rows sampled all over a file, for the planner's estimates.
type Preview struct {
	every    int64 // one stretch out of this many is shown, at an arbitrary place among them
	seed     uint64
	values   [][]catalog.Datum
	cols     []*vec.Vector // finished columns; nil for those not shown
	findings *catalog.Findings

	read  func(ctx context.Context, column int) *vec.Vector // reads a column of a lazy preview; nil otherwise
	tried []bool                                            // by column: whether read has been tried
	all   func(ctx context.Context) []*vec.Vector           // reads all columns; nil otherwise, and once they are read
}

// NewPreview returns an empty preview of a file with the given number of rows. The places of its
// rows depend on the file's name, see Starts.
func NewPreview(rows int64, name string) *Preview {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name))
	return &Preview{every: max(1, (rows+PreviewRows-1)/PreviewRows), seed: hash.Sum64()}
}

// shows reports whether the preview has a row.
func (p *Preview) shows(row int64) bool {
	stretch := row / PreviewStretch
	mixed := (p.seed ^ uint64(stretch/p.every)) * 0x9e3779b97f4a7c15
	return stretch%p.every == int64(mixed>>33)%p.every
}

// NewLazyPreview returns a preview whose columns are read when they are first needed. read returns
// the previewed rows of a column, the same rows for each column, or nil.
func NewLazyPreview(columns int, read func(ctx context.Context, column int) *vec.Vector) *Preview {
	n := min(columns, previewColumns)
	return &Preview{cols: make([]*vec.Vector, n), tried: make([]bool, n), read: read, findings: &catalog.Findings{}}
}

// NewStreamPreview returns a preview whose columns are read together when the first is needed, for
// files that can only be read from the start. read returns columns of the same rows, or nil for
// those that are not shown.
func NewStreamPreview(read func(ctx context.Context) []*vec.Vector) *Preview {
	return &Preview{all: read, findings: &catalog.Findings{}}
}

// Add adds the previewed rows of a column from its vector v, whose first row is row from of the
// file.
func (p *Preview) Add(column int, v *vec.Vector, from int64) {
	if column >= previewColumns {
		return
	}
	if column == len(p.values) {
		p.values = append(p.values, nil)
	}
	for i := range v.N {
		if p.shows(from + int64(i)) {
			p.values[column] = append(p.values[column], kept(v, i))
		}
	}
}

// kept returns row i of a vector. It copies the text, which may not outlive the next read.
func kept(v *vec.Vector, i int) catalog.Datum {
	d := catalog.DatumAt(v, i)
	d.Str = strings.Clone(d.Str)
	return d
}

// Starts returns the first rows of n stretches among rows rows of a file. Each is at an arbitrary
// position within an equal share of the rows: at equal positions, files in the same order would
// show rows that match more often than others. The places depend on the file's name and on salt.
func Starts(rows, n int64, name string, salt ...byte) []int64 {
	from := make([]int64, n)
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name))
	for i := range from {
		_, _ = hash.Write(salt)
		_, _ = hash.Write([]byte{byte(i)})
		lo, hi := rows*int64(i)/n, rows*int64(i+1)/n
		from[i] = lo + int64(hash.Sum64()>>33)%(hi-lo-PreviewStretch+1)
	}
	return from
}

// Stretches collects the previewed rows of one column. The zero value has none.
type Stretches struct{ values []catalog.Datum }

// Add adds all rows of v, one stretch.
func (s *Stretches) Add(v *vec.Vector) {
	for i := range v.N {
		s.values = append(s.values, kept(v, i))
	}
}

// Column returns the rows as a column of a preview, or nil if the texts are long.
func (s *Stretches) Column() *vec.Vector { return columnOf(s.values) }

// Len returns the number of stretches.
func (s *Stretches) Len() int { return len(s.values) / PreviewStretch }

// Halve leaves every other stretch.
func (s *Stretches) Halve() {
	kept := s.values[:0]
	for at := 0; at+PreviewStretch <= len(s.values); at += 2 * PreviewStretch {
		kept = append(kept, s.values[at:at+PreviewStretch]...)
	}
	clear(s.values[len(kept):])
	s.values = kept
}

// Few leaves n stretches at equal distances, or all if there are fewer.
func (s *Stretches) Few(n int) {
	all := s.Len()
	if n >= all {
		return
	}
	for i := range n {
		copy(s.values[i*PreviewStretch:], s.values[i*all/n*PreviewStretch:][:PreviewStretch])
	}
	clear(s.values[n*PreviewStretch:])
	s.values = s.values[:n*PreviewStretch]
}

// Append adds the stretches of o.
func (s *Stretches) Append(o *Stretches) { s.values = append(s.values, o.values...) }

// Finish turns the collected rows into columns, ordered so that the first quarter covers the
// whole file.
func (p *Preview) Finish() *Preview {
	for _, values := range p.values {
		p.cols = append(p.cols, columnOf(values))
	}
	p.values, p.findings = nil, &catalog.Findings{}
	return p
}

// Columns returns the previewed rows of some columns and the findings about them, or nil if a
// column is not shown. If ctx ends while a column is read, a later call reads it.
func (p *Preview) Columns(ctx context.Context, ordinals []int) (*vec.Batch, *catalog.Findings) {
	if p.all != nil {
		cols := p.all(ctx)
		if ctx.Err() != nil {
			return nil, nil
		}
		p.cols, p.all = cols, nil
	}
	b := &vec.Batch{Cols: make([]*vec.Vector, len(ordinals))}
	for i, c := range ordinals {
		if c >= 0 && c < len(p.tried) && !p.tried[c] {
			p.cols[c] = p.read(ctx, c)
			p.tried[c] = ctx.Err() == nil
		}
		if c < 0 || c >= len(p.cols) || p.cols[c] == nil {
			return nil, nil
		}
		b.Cols[i], b.N = p.cols[c], p.cols[c].N
	}
	return b, p.findings
}

// Held returns about how many bytes the preview retains. A nil preview retains none.
func (p *Preview) Held() int64 {
	if p == nil {
		return 0
	}
	n := int64(0)
	for _, v := range p.cols {
		n += PreviewBytes(v)
	}
	return n
}

// PreviewBytes returns about how many bytes a column of a preview takes, 0 for nil.
func PreviewBytes(v *vec.Vector) int64 {
	if v == nil {
		return 0
	}
	return int64(v.N)*int64(unsafe.Sizeof("")) + v.TextBytes()
}

// columnOf returns whole stretches of values as a column, or nil if the texts are long.
func columnOf(values []catalog.Datum) *vec.Vector {
	stretches, bytes := len(values)/PreviewStretch, 0
	for i := range values {
		bytes += len(values[i].Str)
	}
	if stretches == 0 || bytes > previewText*len(values) {
		return nil
	}
	at := slices.IndexFunc(values, func(d catalog.Datum) bool { return d.Type.ID != types.Null })
	if at < 0 {
		return nil
	}
	v, n := vec.NewFlat(values[at].Type, stretches*PreviewStretch), 0
	for _, first := range []int{0, 2, 1, 3} {
		for s := first; s < stretches; s += 4 {
			for i := range PreviewStretch {
				values[s*PreviewStretch+i].Put(v, n)
				n++
			}
		}
	}
	return v
}
