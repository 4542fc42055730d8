// Package regexp implements REGEXP and the functions of regular expressions, in the syntax of Go.
package regexp

// Register registers the functions; sql/function calls it once.
func Register() {
	registerSignatures()
	registerRegexp()
	registerSearch()
}
