package pipeline

// Sort orders the rows that a Write has put in the columns Words, the most significant first. Count is the
// Write's. The first elements of To, 4 bytes wide, become the numbers of the rows in their order; rows of
// equal words are in any order.
type Sort struct {
	Words     []int
	Count, To int
}

// Sums adds the elements of Of, 4 or 8 bytes wide, of which the first element of Count is the number. None is
// negative, and all together are below 2^62. Element i of To, 8 bytes wide and with one element more than Of,
// becomes the sum of the elements before the i-th.
type Sums struct {
	Of, Count, To int
}

// Prebuilt reports whether the device has prebuilt kernels for a pipeline, so that none is generated.
func (p *Pipeline) Prebuilt() bool { return p.Sort != nil || p.Sums != nil }
