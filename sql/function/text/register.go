// Package text has the functions of texts and bytes: their parts, searches in them, encodings, digests.
package text

// Register makes the functions known; sql/function calls it once.
func Register() {
	registerSignatures()
	registerCharacters()
	registerCrypt()
	registerEncode()
	registerLiteral()
	registerRadix()
	registerSearch()
	registerSet()
	registerSubstring()
}
