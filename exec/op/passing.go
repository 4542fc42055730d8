package op

// Passing is an operator that may return texts in memory that its source reuses; see
// catalog.ScanSpec.Passing.
type Passing interface {
	// AllowPassing is called before Open by a consumer that keeps no text beyond the next batch.
	AllowPassing()
}

// AllowPassing informs an operator that its consumer keeps no text beyond the next batch.
// Operators that are not Passing ignore it.
func AllowPassing(o Operator) {
	if p, ok := o.(Passing); ok {
		p.AllowPassing()
	}
}
