package format

import (
	"context"
	"io"
	"slices"
	"sort"
)

// Range is a range of the bytes of an unpacked file.
type Range struct{ At, Size int64 }

// Sparse unpacks a compressed file of size bytes once and returns the file with some ranges of it,
// which it holds in memory. Reading elsewhere fails.
func (f *File) Sparse(ctx context.Context, size int64, ranges []Range) (RandomAccess, error) {
	in, err := f.Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	s, at := &sparse{}, int64(0)
	for _, r := range joined(ranges) {
		if r.At < 0 || r.Size < 0 || r.At > size-r.Size {
			return nil, ErrCutShort
		}
		if _, err := io.CopyN(io.Discard, in, r.At-at); err != nil {
			return nil, err
		}
		data := make([]byte, r.Size)
		if _, err := io.ReadFull(in, data); err != nil {
			return nil, err
		}
		s.parts, at = append(s.parts, heldRange{r.At, data}), r.At+r.Size
	}
	s.SectionReader = io.NewSectionReader(&s.parts, 0, size)
	return s, nil
}

// joined returns ranges in their order in the file, those that touch as one.
func joined(ranges []Range) (out []Range) {
	ranges = slices.Clone(ranges)
	slices.SortFunc(ranges, func(a, b Range) int {
		if a.At < b.At {
			return -1
		}
		return 1
	})
	for _, r := range ranges {
		if n := len(out) - 1; n >= 0 && r.At <= out[n].At+out[n].Size {
			out[n].Size = max(out[n].Size, r.At+r.Size-out[n].At)
			continue
		}
		out = append(out, r)
	}
	return out
}

// sparse is a file of which some ranges are held.
type sparse struct {
	*io.SectionReader
	parts heldRanges
}

// Close implements io.Closer.
func (*sparse) Close() error { return nil }

type heldRange struct {
	at   int64
	data []byte
}

// heldRanges are in the order of the file.
type heldRanges []heldRange

// ReadAt implements io.ReaderAt.
func (p *heldRanges) ReadAt(dst []byte, off int64) (int, error) {
	i := sort.Search(len(*p), func(i int) bool { return (*p)[i].at > off }) - 1
	if i < 0 || off-(*p)[i].at > int64(len((*p)[i].data)) {
		return 0, ErrCutShort
	}
	n := copy(dst, (*p)[i].data[off-(*p)[i].at:])
	if n < len(dst) {
		return n, ErrCutShort
	}
	return n, nil
}
