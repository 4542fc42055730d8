// Package operator implements the operators (arithmetic, comparisons, logic, bits, IN, LIKE) and
// the functions that the planner derives from them.
package operator

// Register registers the functions; sql/function calls it once.
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
