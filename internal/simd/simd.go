// Package simd does the first part of some loops with vector instructions: as many elements as
// the processor's registers take evenly, none where it lacks the instructions. The caller's own
// loop does the rest, and is what the instructions are tested against.
package simd

//go:generate go -C gen run . -out ../simd_amd64.s -stubs ../stubs_amd64.go -pkg simd

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
	Rem      // the remainder of division, as Go has it; of int32 only
	RemSmall // Rem of values below 2^23 in magnitude
	operations
)

// UnpackWidth is the number of bits of the widest values that Unpack takes.
const UnpackWidth = 25
