package op

// Narrowing is an operator that can return decimals in 64 bits (vec.Vector.Narrow).
type Narrowing interface {
	// AllowNarrow is called before Open by a consumer that accepts such vectors.
	AllowNarrow()
}

// AllowNarrow informs an operator that its consumer accepts Narrow vectors. Operators that are
// not Narrowing ignore it.
func AllowNarrow(o Operator) {
	if n, ok := o.(Narrowing); ok {
		n.AllowNarrow()
	}
}
