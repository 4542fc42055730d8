package kernel

import (
	"strings"

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
	if err := rt.Mem.ReserveFor(strings.ToUpper(string(rt.Call.Fn))+"()", more); err != nil {
		return sqlerr.From(err).At(rt.Call.Pos)
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

// Release releases the memory of texts that are no longer read.
func (rt *Runtime) Release() {
	if rt.charged > 0 {
		rt.Mem.Release(rt.charged)
	}
	rt.texts, rt.charged, rt.stored = 0, 0, 0
}

// Put sets the result of row i to b, which was built in rt.Buf, or to NULL if b exceeds the maximum
// length of a result.
func (rt *Runtime) Put(out *vec.Vector, i int, b []byte) error {
	rt.Buf = b
	long, err := rt.TooLong(len(b))
	if long {
		out.SetNull(i)
	} else if err == nil {
		out.Str[i] = rt.Text(b)
	}
	return err
}
