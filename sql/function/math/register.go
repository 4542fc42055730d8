// Package math has the functions of numbers: rounding, extremes, random numbers, FORMAT.
package math

// Register makes the functions known; sql/function calls it once.
func Register() {
	registerSignatures()
	registerExtreme()
	registerFormat()
	registerMath()
	registerRandom()
	registerRound()
}
