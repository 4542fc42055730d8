//go:build !amd64

package simd

func detect() Level { return None }

func loopsOf(Level) *loops { return &loops{} }
