// Package json implements the functions of JSON values.
package json

// Register registers the functions; sql/function calls it once.
func Register() {
	registerSignatures()
	registerJson()
	registerModify()
}
