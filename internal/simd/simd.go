// Package simd does some loops with vector instructions, chosen by what the processor has.
// Functions that return a number of elements as done have dealt with the first ones only: as many
// as the loops take evenly, none where the processor lacks the instructions. The caller's own
// loop does the rest.
package simd

//go:generate go -C gen run . -out ../simd_amd64.s -stubs ../stubs_amd64.go -tables ../tables_amd64.go -pkg simd

// Level is a set of vector instructions.
type Level uint8

// The levels, each with all instructions of those before it.
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

// Use changes the level of all loops to one that is not above the best, for tests and
// benchmarks, and returns the one that was in use. No loop may run meanwhile.
func Use(l Level) (old Level) {
	old, level = level, min(l, best)
	current = loopsOf(level)
	return old
}

// EachLevel has run, which is the Run of a test or benchmark, run f with the loops of every level
// that the processor has, and then puts the level back that was in use.
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

// Predicate is how an element must compare to be selected.
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

// Element is a type of vectors' elements.
type Element interface{ int32 | int64 | float64 }

// Operation is what is computed of two elements.
type Operation uint8

// The operations.
const (
	Add Operation = iota
	Sub
	Mul
	MulNarrow // Mul of values that fit 32 bits; of int64 only
	Rem       // the remainder of division, as Go has it; of int32 only
	RemSmall  // Rem of values below 2^23 in magnitude
	operations
)

// UnpackWidth is the number of bits of the widest values that Unpack takes.
const UnpackWidth = 25
