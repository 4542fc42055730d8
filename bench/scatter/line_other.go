//go:build !amd64

package main

import "unsafe"

// stream writes a cache line.
func stream(dst, src unsafe.Pointer) { *(*[lineBytes]byte)(dst) = *(*[lineBytes]byte)(src) }
