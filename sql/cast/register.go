package cast

// Register makes the functions known; sql/function calls it once.
func Register() {
	registerAssign()
	registerCast()
	registerMembers()
}
