package kernel

// Resize returns a slice of n elements, which reuses s if it has room. Their values are undefined.
func Resize[T any](s []T, n int) []T {
	switch {
	case cap(s) >= n:
		return s[:n]
	case s == nil:
		return make([]T, n)
	}
	return make([]T, n, n+n/4)
}
