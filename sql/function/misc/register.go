// Package misc has the functions of the session, of locks, and of addresses and UUIDs.
package misc

// Register makes the functions known; sql/function calls it once.
func Register() {
	registerSignatures()
	registerAddress()
	registerLock()
	registerMisc()
	registerSession()
}
