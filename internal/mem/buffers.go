package mem

// Buffers are buffers, or owners of some, that are freed together.
type Buffers []interface{ Free() }

// Add makes b one of those that Free frees.
func (s *Buffers) Add(b interface{ Free() }) { *s = append(*s, b) }

// Free frees all buffers and forgets them.
func (s *Buffers) Free() {
	for _, b := range *s {
		b.Free()
	}
	*s = nil
}
