// Package math implements the functions of numbers: rounding, extremes, random numbers, FORMAT.
package math

// Register registers the functions; sql/function calls it once.
func Register() {
	registerSignatures()
	registerExtreme()
	registerFormat()
	registerMath()
	registerRandom()
	registerRound()
}
