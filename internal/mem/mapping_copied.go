//go:build !linux

package mem

// remap makes m longer by copying it, as the system has no call to move its pages.
func remap(m []byte, n int) ([]byte, error) {
	longer, err := mapFresh(n)
	if err != nil {
		return nil, err
	}
	copy(longer, m)
	unmap(m)
	return longer, nil
}
