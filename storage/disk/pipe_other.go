//go:build !unix

package disk

// nonBlocking is unused on this platform.
const nonBlocking = 0

// awaitWriter does nothing: on this platform pipes have no file names.
func (f *File) awaitWriter() error { return nil }
