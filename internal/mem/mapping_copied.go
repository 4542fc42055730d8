//go:build !linux

package mem

// remap lengthens m by copying it, because the system has no call that moves its pages.
func remap(m []byte, n int) ([]byte, error) {
	longer, err := mapFresh(n)
	if err != nil {
		return nil, err
	}
	copy(longer, m)
	unmap(m)
	return longer, nil
}
