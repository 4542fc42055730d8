// Package json has the functions of JSON values.
package json

// Register makes the functions known; sql/function calls it once.
func Register() {
	registerSignatures()
	registerJson()
	registerModify()
}
