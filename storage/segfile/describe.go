package segfile

import (
	"encoding/binary"
	"math"
	"slices"

	"gsql/sql/catalog"
	"gsql/sql/sqlerr"
	"gsql/storage/segfile/pack"
	"gsql/storage/segment"
	"gsql/storage/stats"
)

// What the first byte of a column's description says.
const (
	isSorted = 1 << iota
	hasBounds
	hasRuns
	hasSketch
	notCompressed
	byZstd
)

// Encode appends the description of a segment all of whose columns are in files: see Writer.Add.
// It has what Decode needs to make the segment without reading a file.
func (f *Files) Encode(dst []byte, s *segment.Segment) []byte {
	dst = binary.AppendUvarint(dst, uint64(s.Rows))
	if s.IDs == nil {
		dst = append(dst, 0)
	} else {
		dst = pack.AppendIntegers(append(dst, 1), s.IDs)
	}
	dst = binary.AppendUvarint(dst, uint64(len(s.Cols)))
	for i := range s.Cols {
		c, ok := s.Cols[i].Source().(*column)
		if !ok {
			panic(sqlerr.Internal("column %d of a segment is in no file", i))
		}
		dst = c.describe(dst, &s.Cols[i])
	}
	return dst
}

func appendRef(dst []byte, r Ref) []byte {
	dst = binary.AppendUvarint(dst, r.File)
	dst = binary.AppendUvarint(dst, uint64(r.Offset))
	return binary.AppendUvarint(dst, uint64(r.Length))
}

func (c *column) describe(dst []byte, of *segment.Column) []byte {
	z, flags := &of.Zone, byte(0)
	set := func(flag byte, on bool) {
		if on {
			flags |= flag
		}
	}
	set(isSorted, z.Sorted)
	set(hasBounds, z.Min != nil)
	set(hasRuns, of.HasRuns())
	set(hasSketch, c.counted != nil)
	set(notCompressed, c.by == pack.Plain)
	set(byZstd, c.by == pack.Zstd)
	dst = appendRef(append(dst, flags), c.ref)
	if c.counted != nil {
		dst = appendRef(dst, c.sketch)
	}
	for _, n := range []int64{c.bytes, c.footprint, int64(z.Nulls), z.Text} {
		dst = binary.AppendUvarint(dst, uint64(n))
	}
	if z.Min != nil {
		dst = appendBound(appendBound(dst, z.Min, lower), z.Max, upper)
	}
	return dst
}

// Decode returns the segment that src begins with, and the rest of src. It reads no file: the
// columns are loaded when they are first read.
func (f *Files) Decode(src []byte, schema *catalog.Schema) (s *segment.Segment, rest []byte, err error) {
	r := pack.NewReader(src)
	s = &segment.Segment{Rows: r.Count(math.MaxInt32)}
	switch r.Byte() {
	case 0:
	case 1:
		if s.IDs, err = readIDs(r, s.Rows); err != nil {
			return nil, nil, sqlerr.Internal("the rows of a segment cannot be read: %v", err)
		}
	default:
		return nil, nil, sqlerr.Internal("the description of a segment cannot be read")
	}
	if n := r.Count(math.MaxInt32); n != len(schema.Columns) {
		return nil, nil, sqlerr.Internal("a segment has %d columns instead of %d", n, len(schema.Columns))
	}
	s.Cols = make([]segment.Column, len(schema.Columns))
	for i := range s.Cols {
		s.Cols[i] = f.column(r, &schema.Columns[i], s.Rows)
		s.Bytes += s.Cols[i].Bytes()
	}
	if err := r.Err(); err != nil {
		return nil, nil, sqlerr.Internal("the description of a segment cannot be read: %v", err)
	}
	return s, r.Rest(), nil
}

// readIDs reads the ids of rows, which must be ascending.
func readIDs(r *pack.Reader, rows int) ([]int64, error) {
	if rows > idBytes*len(r.Rest()) {
		return nil, pack.ErrMalformed
	}
	ids := make([]int64, rows)
	if err := pack.ReadIntegers(r, ids); err != nil {
		return nil, err
	}
	if !slices.IsSorted(ids) {
		return nil, pack.ErrMalformed
	}
	return ids, nil
}

// idBytes is the largest number of ids that one byte can stand for: a frame of consecutive ones
// takes at least two.
const idBytes = pack.FrameRows

func readRef(r *pack.Reader) Ref {
	return Ref{File: r.Uvarint(), Offset: int64(r.Count(mostBytes)), Length: int64(r.Count(mostBytes))}
}

// column reads the description of a column.
func (f *Files) column(r *pack.Reader, def *catalog.Column, rows int) segment.Column {
	flags := r.Byte()
	c := &column{typ: def.Type, rows: rows, ref: readRef(r), by: pack.LZ4}
	switch {
	case flags&notCompressed != 0:
		c.by = pack.Plain
	case flags&byZstd != 0:
		c.by = pack.Zstd
	}
	if flags&hasSketch != 0 {
		c.sketch = readRef(r)
	}
	c.bytes, c.footprint = int64(r.Count(mostBytes)), int64(r.Count(mostBytes))
	z := stats.Zone{Rows: rows, Nulls: r.Count(rows), Text: int64(r.Count(mostBytes)), Sorted: flags&isSorted != 0}
	if flags&hasBounds != 0 {
		lo, hi := readBound(r, def.Type), readBound(r, def.Type)
		z.Min, z.Max = &lo, &hi
	}
	if r.Err() != nil {
		return segment.Column{}
	}
	c.file = f.file(c.ref.File)
	if flags&hasSketch != 0 {
		c.counted = f.file(c.sketch.File)
	}
	return segment.OnDemand(z, c.bytes, flags&hasRuns != 0, c)
}

// Numbers returns the numbers of the files that have columns of s, ascending.
func Numbers(s *segment.Segment) []uint64 {
	var out []uint64
	for i := range s.Cols {
		if c, ok := s.Cols[i].Source().(*column); ok {
			out = append(out, c.ref.File)
			if c.counted != nil {
				out = append(out, c.sketch.File)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Blocks calls fn with each block of a segment and the number of its column.
func Blocks(s *segment.Segment, fn func(col int, r Ref)) {
	for i := range s.Cols {
		if c, ok := s.Cols[i].Source().(*column); ok {
			fn(i, c.ref)
			if c.counted != nil {
				fn(i, c.sketch)
			}
		}
	}
}
