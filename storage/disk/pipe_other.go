//go:build !unix

package disk

// nonBlocking has no meaning here.
const nonBlocking = 0

// awaitWriter has nothing to wait for: pipes have no names among files here.
func (f *File) awaitWriter() error { return nil }
