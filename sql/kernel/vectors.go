package kernel

// Resize returns a slice of n elements of undefined values. It reuses s if its capacity suffices.
func Resize[T any](s []T, n int) []T {
	switch {
	case cap(s) >= n:
		return s[:n]
	case s == nil:
		return make([]T, n)
	}
	return make([]T, n, n+n/4)
}
