package op

// Narrowing is an operator that can return decimals in 64 bits (vec.Vector.Narrow).
type Narrowing interface {
	// AllowNarrow is called before Open by a consumer that takes such vectors.
	AllowNarrow()
}

// AllowNarrow informs an operator, which need not be Narrowing, that its consumer takes Narrow
// vectors.
func AllowNarrow(o Operator) {
	if n, ok := o.(Narrowing); ok {
		n.AllowNarrow()
	}
}
