package cast

// Register registers the functions; sql/function calls it once.
func Register() {
	registerAssign()
	registerCast()
	registerHexNumber()
	registerMembers()
}
