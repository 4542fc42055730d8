package op

// Passing is an operator whose texts can be in memory that its source uses again: see
// catalog.ScanSpec.Passing.
type Passing interface {
	// AllowPassing is called before Open by a consumer that keeps no text beyond the next batch.
	AllowPassing()
}

// AllowPassing informs an operator, which need not be Passing, that its consumer keeps no text.
func AllowPassing(o Operator) {
	if p, ok := o.(Passing); ok {
		p.AllowPassing()
	}
}
