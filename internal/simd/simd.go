// Package simd implements some loops with vector instructions, chosen by the processor's features.
// Functions that return a number of elements as done have processed only the first ones: as many as
// the loops can take in whole iterations, or none if the processor lacks the instructions. The
// caller's own loop processes the rest.
package simd

//go:generate go -C gen run . -out ../simd_amd64.s -stubs ../stubs_amd64.go -tables ../tables_amd64.go -pkg simd

// Level is a set of vector instructions.
type Level uint8

// The levels. Each includes all instructions of those before it.
const (
	None   Level = iota
	AVX2         // with FMA and POPCNT
	AVX512       // F, VL, DQ and BW
)

// String returns the name of the instruction set.
func (l Level) String() string { return [...]string{"none", "AVX2", "AVX-512"}[l] }

// Bits returns the width of registers.
func (l Level) Bits() int { return [...]int{0, 256, 512}[l] }

// Best returns the level of the processor, or a lower one if GODEBUG turns features of the
// processor off, as cpu.avx512f=off does.
func Best() Level { return best }

// Use sets the level of all loops to one that is not above the best, for tests and benchmarks, and
// returns the previous one. No loop may run meanwhile.
func Use(l Level) (old Level) {
	old, level = level, min(l, best)
	current = loopsOf(level)
	return old
}

// EachLevel calls run, the Run method of a test or benchmark, for f with the loops of every level
// that the processor supports, and then restores the level that was in use.
func EachLevel[T any](run func(name string, f func(T)) bool, f func(T)) {
	for l := None; l <= best; l++ {
		old := Use(l)
		run(l.String(), f)
		Use(old)
	}
}

var (
	best    = detect()
	level   = best
	current = loopsOf(best)
)

// Predicate is the comparison that selects elements.
type Predicate uint8

// The predicates.
const (
	Equal Predicate = iota
	Less
	LessEqual
	NotEqual
	GreaterEqual
	Greater
	predicates
)

// Element is a type of vector elements.
type Element interface{ int32 | int64 | float64 }

// Operation is an arithmetic operation on two elements.
type Operation uint8

// The operations.
const (
	Add Operation = iota
	Sub
	Mul
	MulNarrow // Mul of values that fit 32 bits; only for int64
	Rem       // the remainder of division as in Go; only for int32
	RemSmall  // Rem of values below 2^23 in magnitude
	operations
)

// UnpackWidth is the greatest width in bits of values that Unpack supports.
const UnpackWidth = 25
