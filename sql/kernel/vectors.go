package kernel

// Resize returns n elements, of s if it has room for them; what they hold is not said.
func Resize[T any](s []T, n int) []T {
	switch {
	case cap(s) >= n:
		return s[:n]
	case s == nil:
		return make([]T, n)
	}
	return make([]T, n, n+n/4)
}
