package main

import "unsafe"

// stream writes a cache line past the caches; dst is aligned to its size.
//
//go:noescape
func stream(dst, src unsafe.Pointer)
