package op

// Narrowing is an operator that has decimals in 64 bits to give (vec.Vector.Narrow).
type Narrowing interface {
	// AllowNarrow is called before Open by a consumer that takes such vectors.
	AllowNarrow()
}

// AllowNarrow tells an operator, which need not be Narrowing, that its consumer takes Narrow
// vectors.
func AllowNarrow(o Operator) {
	if n, ok := o.(Narrowing); ok {
		n.AllowNarrow()
	}
}
