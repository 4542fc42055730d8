package expr

func registerUserVariables() {
	Register(
		Sig{Name: FuncGetUserVar, Min: 1, Max: 1, Resolve: Fixed(AsIs, AsIs), NullAware: true, Volatile: true, Internal: true},
		Sig{Name: FuncSetUserVar, Min: 2, Max: 2, Resolve: Fixed(AsIs, AsIs, AsIs), NullAware: true, Volatile: true, Internal: true},
	)
}
