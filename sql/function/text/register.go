// Package text implements the functions of texts and bytes: parts, searches, encodings, digests.
package text

// Register registers the functions; sql/function calls it once.
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
