package expr

// init registers the signatures of all operators. This is their only list; package function lists
// the families of functions in the same way.
func init() {
	for _, register := range []func(){
		registerArithmetic, registerAssignments, registerCollations, registerComparisons, registerConditions, registerHex, registerMembers, registerUserVariables,
	} {
		register()
	}
}
