// Package misc implements the functions of the session, locks, addresses and UUIDs.
package misc

// Register registers the functions; sql/function calls it once.
func Register() {
	registerSignatures()
	registerAddress()
	registerLock()
	registerMisc()
	registerSession()
}
