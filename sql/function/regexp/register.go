// Package regexp has REGEXP and the functions of regular expressions, whose syntax is that of Go.
package regexp

// Register makes the functions known; sql/function calls it once.
func Register() {
	registerSignatures()
	registerRegexp()
	registerSearch()
}
