// Package operator has the operators: arithmetic, comparisons, logic, bits, IN, LIKE, and the functions
// that the planner makes of them.
package operator

// Register makes the functions known; sql/function calls it once.
func Register() {
	registerSignatures()
	registerArith()
	registerBits()
	registerBitsBinary()
	registerCollation()
	registerCompare()
	registerFactor()
	registerIn()
	registerLike()
	registerLogic()
	registerSummand()
}
