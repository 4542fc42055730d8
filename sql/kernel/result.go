package kernel

import (
	"slices"
	"strings"
	"unsafe"

	"gsql/sql/expr"
	"gsql/sql/sqlerr"
	"gsql/sql/vec"
)

// MaxText is the longest string that a function makes: max_allowed_packet.
const MaxText = 64 << 20

// maxMade bounds all the strings that a call makes for a batch.
const maxMade = 1 << 30

// ChargeStep is the number of bytes of strings that are charged to the memory account at a time.
const ChargeStep = 1 << 20

// TooLong warns (1301) and returns true if a result of n bytes would exceed max_allowed_packet; the
// result is then NULL. It returns error 1037 if the results of the batch become too large or memory
// is refused, or the error of a cancelled statement.
func (rt *Runtime) TooLong(n int) (bool, error) {
	if n > MaxText {
		rt.Warn(sqlerr.AllowedPacketOverflowed, "Result of %s() was larger than max_allowed_packet (%d) - truncated", rt.Call.Fn, MaxText)
		return true, nil
	}
	before := rt.Made
	if rt.Made += n; before/PieceBytes != rt.Made/PieceBytes {
		if err := rt.Cancelled(); err != nil {
			return false, err
		}
	}
	if rt.Made > maxMade {
		return false, sqlerr.New(sqlerr.OutOfMemory, "Out of memory; the results of %s() for %d rows need more than %d bytes", rt.Call.Fn, rt.N, maxMade)
	}
	return false, rt.charge(int64(n))
}

// charge reserves memory for a text of n bytes until Release.
func (rt *Runtime) charge(n int64) error {
	rt.texts += n
	more := rt.texts - rt.charged
	if rt.Mem == nil || more < ChargeStep {
		return nil
	}
	if err := rt.reserve(more); err != nil {
		return err
	}
	rt.charged = rt.texts
	return nil
}

// Settle charges for texts that the last kernel made without reporting them. It also drops a large
// buffer, because each call of each worker has one.
func (rt *Runtime) Settle() error {
	if cap(rt.Buf) > ChargeStep {
		rt.Buf = nil
	}
	if more := rt.stored - rt.texts; more >= ChargeStep {
		return rt.charge(more)
	}
	return nil
}

// Allot returns an empty buffer with capacity for a text of n bytes, which the caller appends and
// passes to Keep, before it makes another one. The memory is charged before it is allocated. long
// reports that n exceeds max_allowed_packet; the result is then NULL.
func (rt *Runtime) Allot(n int) (b []byte, long bool, err error) {
	if n < shortText { // Settle charges for it
		return rt.Room(n), false, nil
	}
	if long, err = rt.TooLong(n); long || err != nil {
		return nil, long, err
	}
	return rt.Room(n), false, nil
}

// Copy returns a copy of s that may be changed, as Allot does.
func (rt *Runtime) Copy(s string) (b []byte, long bool, err error) {
	if b, long, err = rt.Allot(len(s)); long || err != nil {
		return nil, long, err
	}
	return append(b, s...), false, nil
}

// shortText is the length in bytes below which texts are charged for once they are made.
const shortText = 4 << 10

// LongText is the length in bytes from which texts are worth a pass that computes their length
// before they are made.
const LongText = 64 << 10

// Extend returns b, a text that is built in Buf and whose length is not known beforehand, with
// capacity for n more bytes. It charges memory before it allocates much. Put ends the text.
func (rt *Runtime) Extend(b []byte, n int) ([]byte, error) {
	need := len(b) + n
	switch {
	case need <= cap(b):
		return b, nil
	case need < LongText:
		return slices.Grow(b, n), nil
	}
	size := int64(max(need, cap(b)+cap(b)/4))
	if err := rt.Borrow(size); err != nil {
		return b, err
	}
	b = append(make([]byte, 0, size), b...)
	rt.dropDraft()
	rt.draft = size
	return b, nil
}

func (rt *Runtime) dropDraft() {
	rt.Return(rt.draft)
	rt.draft = 0
}

// Borrow reserves n bytes for intermediate results of the call being computed, until the caller
// returns as many.
func (rt *Runtime) Borrow(n int64) error {
	if rt.Mem == nil || n == 0 {
		return nil
	}
	return rt.reserve(n)
}

// Return releases n bytes that Borrow reserved.
func (rt *Runtime) Return(n int64) {
	if rt.Mem != nil && n > 0 {
		rt.Mem.Discard(n)
	}
}

// made identifies what a call prepared from a text.
type made struct {
	call *expr.Call
	text string
}

// Prepared returns what prepare makes of a text, such as a compiled pattern that takes cost bytes.
// The call keeps it until the evaluator's next batch.
func (rt *Runtime) Prepared(text string, cost int64, prepare func() (any, error)) (any, error) {
	key := made{rt.Call, text}
	if x, ok := rt.ready[key]; ok {
		return x, nil
	}
	if err := rt.Borrow(cost); err != nil {
		return nil, err
	}
	rt.held += cost
	if rt.ready == nil {
		rt.ready = map[made]any{}
	}
	x, err := prepare()
	if err == nil {
		rt.ready[key] = x
	}
	return x, err
}

func (rt *Runtime) reserve(n int64) error {
	if err := rt.Mem.ReserveFor(strings.ToUpper(string(rt.Call.Fn))+"()", n); err != nil {
		return sqlerr.From(err).At(rt.Call.Pos)
	}
	return nil
}

// Release releases the memory of texts that are no longer read.
func (rt *Runtime) Release() {
	rt.dropDraft()
	if rt.ready != nil {
		rt.Return(rt.held)
		rt.ready, rt.held = nil, 0
	}
	if rt.charged > 0 {
		rt.Mem.Discard(rt.charged)
	}
	rt.texts, rt.charged, rt.stored = 0, 0, 0
}

// Charged returns the bytes charged for the texts made since the last Release.
func (rt *Runtime) Charged() int64 { return rt.charged }

// Retain makes the texts made since Charged returned before stay charged, until Drop or Free. It returns
// their bytes.
func (rt *Runtime) Retain(before int64) int64 {
	n := rt.charged - before
	rt.texts, rt.charged, rt.kept = rt.texts-n, before, rt.kept+n
	return n
}

// Drop releases n bytes of texts that Retain kept.
func (rt *Runtime) Drop(n int64) {
	rt.Return(n)
	rt.kept -= n
}

// Free releases the memory of all texts, including kept ones.
func (rt *Runtime) Free() {
	rt.Release()
	rt.Drop(rt.kept)
}

// Detach returns the bytes charged for texts that are still read. The caller releases them instead
// of Release.
func (rt *Runtime) Detach() int64 {
	n := rt.charged
	rt.charged = 0
	rt.Release()
	return n
}

// Done returns the text of b, which was built in rt.Buf. ok is false if b exceeds the maximum length
// of a result.
func (rt *Runtime) Done(b []byte) (text string, ok bool, err error) {
	rt.Buf = b
	rt.dropDraft()
	switch long, err := rt.TooLong(len(b)); {
	case long || err != nil:
		return "", false, err
	case len(b) < LongText:
		return rt.Text(b), true, nil
	}
	rt.Buf = nil // the buffer becomes the text
	return unsafe.String(&b[0], len(b)), true, nil
}

// Put sets the result of row i to b, which was built in rt.Buf, or to NULL if b exceeds the maximum
// length of a result.
func (rt *Runtime) Put(out *vec.Vector, i int, b []byte) error {
	text, ok, err := rt.Done(b)
	if out.Str[i] = text; err == nil && !ok {
		out.SetNull(i)
	}
	return err
}
