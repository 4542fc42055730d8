package math

import (
	"encoding/binary"
	"encoding/hex"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"gsql/sql/expr"
	"gsql/sql/kernel"
	"gsql/sql/vec"
)

func registerRandom() {
	kernel.Register(
		kernel.Def{Name: "rand", Bind: bindRand},
		kernel.Def{Name: "uuid", Bind: kernel.Fn(uuids)},
	)
}

// sequence is MySQL's pseudo-random generator (a pair of linear congruences), so that
// RAND(seed) returns the numbers that MySQL returns.
type sequence struct{ a, b uint32 }

const sequenceMod = 0x3FFFFFFF

func newSequence(seed int64) sequence {
	s := uint32(seed)
	return sequence{(s*0x10001 + 55555555) % sequenceMod, (s * 0x10000001) % sequenceMod}
}

func (s *sequence) next() float64 {
	a := (uint64(s.a)*3 + uint64(s.b)) % sequenceMod
	b := (a + uint64(s.b) + 33) % sequenceMod
	s.a, s.b = uint32(a), uint32(b)
	return float64(a) / sequenceMod
}

// bindRand binds RAND() and RAND(constant), which draw from one sequence for the whole execution,
// and RAND(column), the first number of a sequence for each row.
func bindRand(c *expr.Call) (kernel.Kernel, error) {
	if len(c.Args) == 0 {
		return func(_ *kernel.Runtime, _ []*vec.Vector, out *vec.Vector) error {
			for i := range out.F64 {
				out.F64[i] = rand.Float64()
			}
			return nil
		}, nil
	}
	if seed, ok := c.Args[0].(*expr.Const); ok {
		return seeded(seed.Value.I64), nil // NULL counts as 0
	}
	return func(_ *kernel.Runtime, args []*vec.Vector, out *vec.Vector) error {
		for i := range out.F64 {
			seed := int64(0)
			if !kernel.NullAt(args[0], i) {
				seed = args[0].I64[i&kernel.Mask(args[0])]
			}
			s := newSequence(seed)
			out.F64[i] = s.next()
		}
		return nil
	}, nil
}

// seeded draws from one sequence for all evaluators, so that workers do not repeat
// each other's numbers.
func seeded(seed int64) kernel.Kernel {
	var mu sync.Mutex
	s := newSequence(seed)
	return func(_ *kernel.Runtime, _ []*vec.Vector, out *vec.Vector) error {
		mu.Lock()
		defer mu.Unlock()
		for i := range out.F64 {
			out.F64[i] = s.next()
		}
		return nil
	}
}

// uuidEpoch is 1582-10-15, from which UUIDs of version 1 count, before 1970 in steps
// of 100 ns.
const uuidEpoch = 0x01B21DD213814000

// uuidNode is the random clock sequence and node of this process, so that UUIDs do not reveal an
// address of the machine (RFC 9562, section 6.10).
var (
	uuidNode = rand.Uint64()&^(3<<62) | 2<<62 | 1<<40
	uuidTime atomic.Uint64
)

// uuids makes UUIDs of version 1 with strictly increasing times.
func uuids(rt *kernel.Runtime, _ []*vec.Vector, out *vec.Vector) error {
	now := uint64(time.Now().UnixNano())/100 + uuidEpoch
	for i := range out.Str {
		t := uuidTime.Load()
		for {
			next := max(now, t+1)
			if uuidTime.CompareAndSwap(t, next) {
				t = next
				break
			}
			t = uuidTime.Load()
		}
		out.Str[i] = rt.Text(appendUUID(rt.Buf[:0], t))
	}
	return nil
}

func appendUUID(dst []byte, t uint64) []byte {
	var b [16]byte
	binary.BigEndian.PutUint32(b[:], uint32(t))
	binary.BigEndian.PutUint16(b[4:], uint16(t>>32))
	binary.BigEndian.PutUint16(b[6:], uint16(t>>48)&0x0fff|0x1000)
	binary.BigEndian.PutUint64(b[8:], uuidNode)
	for i, from := 0, 0; i < 5; i++ {
		to := from + [...]int{4, 2, 2, 2, 6}[i]
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, b[from:to])
		from = to
	}
	return dst
}
