package spill

import (
	"errors"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow/bitutil"
	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"gsql/internal/mem"
	"gsql/sql/arrowvec"
	"gsql/sql/sqlerr"
	"gsql/sql/types"
	"gsql/sql/vec"
)

// Reader reads blocks of a file. It is for one goroutine.
type Reader struct {
	f       *File
	account *mem.Account
	long    bool     // the last block has long texts
	held    int64    // bytes reserved for them
	words   []uint64 // of the last block
	batch   vec.Batch
	cols    []scratch
}

// scratch holds the memory of a column in addition to the words.
type scratch struct {
	null []bool
	strs []string
}

// NewReader makes a Reader that charges long texts to an account, which may be nil.
func (f *File) NewReader(account *mem.Account) *Reader {
	r := &Reader{f: f, account: account, cols: make([]scratch, len(f.types))}
	for range f.types {
		r.batch.Cols = append(r.batch.Cols, &vec.Vector{})
	}
	return r
}

// Read returns the rows of a block, valid until the next call; the bytes of strings remain valid.
// It returns error 1024 if the disk fails or the texts are not those that were written, and error
// 1037 if there is no memory for long texts.
func (r *Reader) Read(b Block) (*vec.Batch, error) {
	r.Free()
	if err := r.hold(b.Text()); err != nil {
		return nil, err
	}
	if !r.long || r.account == nil {
		r.f.space.account.Pace(b.size) // before there is more garbage
	}
	if need := b.fixed / word; len(r.words) < need {
		r.words = make([]uint64, need)
	}
	fixed, text := bytesOf(r.words)[:b.fixed], []byte(nil)
	_, err := r.f.f.ReadAt(fixed, b.at)
	if n := int(b.Text()); err == nil && n > 0 {
		text = mem.Heap(n)
		_, err = r.f.f.ReadAt(text, b.at+int64(b.fixed))
	}
	if err == nil {
		err = r.decode(b.Rows, fixed, unsafe.String(unsafe.SliceData(text), len(text)))
	}
	if err != nil {
		return nil, sqlerr.New(sqlerr.ErrorOnRead, "Error reading a temporary file in '%s': %v", r.f.space.dir, err)
	}
	return &r.batch, nil
}

// hold reserves memory for the texts of a block if they are long.
func (r *Reader) hold(text int64) error {
	if text < longText {
		return nil
	}
	if err := r.account.Reserve(text); err != nil {
		return err
	}
	r.long, r.held = true, text
	return nil
}

// Forgo releases the memory reserved for the last block's texts, which stay readable, because what
// keeps them is about to be charged for them.
func (r *Reader) Forgo() {
	r.account.Release(r.held)
	r.held = 0
}

// Free releases the memory of the last block's texts, if they are long. A caller that still needs
// them accounts for them. Free may be called on nil and more than once.
func (r *Reader) Free() {
	if r == nil || !r.long {
		return
	}
	for i := range r.cols {
		clear(r.cols[i].strs)
		*r.batch.Cols[i] = vec.Vector{}
	}
	r.account.Discard(r.held)
	r.long, r.held = false, 0
}

// decode sets the batch to the rows of a block whose bytes of texts are text. The batch shares
// their memory.
func (r *Reader) decode(rows int, fixed []byte, text string) error {
	r.batch.N = rows
	for i, t := range r.f.types {
		v := r.batch.Cols[i]
		*v = vec.Vector{Type: t, N: rows}
		nValid, nValues := sizes(t, rows)
		valid, values := fixed[:nValid], fixed[roundUp(nValid):][:nValues]
		fixed = fixed[roundUp(nValid)+roundUp(nValues):]
		if nValid > 0 && bitutil.CountSetBits(valid, 0, rows) < rows {
			r.cols[i].null = room(r.cols[i].null, rows)
			v.Null = r.cols[i].null
			arrowvec.NullFlags(v.Null, valid, 0)
		}
		switch t.Kind() {
		case types.KindI64, types.KindU64:
			v.I64 = elements[int64](values)
		case types.KindF64:
			v.F64 = elements[float64](values)
		case types.KindDec:
			v.Dec = elements[decimal128.Num](values)
		case types.KindStr:
			r.cols[i].strs = room(r.cols[i].strs, rows)
			v.Str = r.cols[i].strs
			var err error
			if text, err = cutText(v.Str, elements[int64](values), text); err != nil {
				return err
			}
		}
	}
	return nil
}

// room returns n elements of memory, from buf if it is large enough.
func room[T any](buf []T, n int) []T {
	if cap(buf) < n {
		buf = make([]T, n)
	}
	return buf[:n]
}

var errChanged = errors.New("it was changed")

// cutText sets strs to consecutive parts of text, the first of which begins at the first offset, and
// each of which ends at the next one. It returns the rest of the text.
func cutText(strs []string, offsets []int64, text string) (rest string, err error) {
	size := uint64(offsets[len(strs)])
	if size > uint64(len(text)) {
		return "", errChanged
	}
	from := uint64(offsets[0])
	for i, end := range offsets[1 : len(strs)+1] {
		to := uint64(end)
		if from > to || to > size {
			return "", errChanged
		}
		strs[i] = text[from:to]
		from = to
	}
	return text[roundUp(int(size)):], nil
}
