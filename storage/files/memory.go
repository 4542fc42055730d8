package files

import "bytes"

// memoryFile is an unpacked file.
type memoryFile struct{ *bytes.Reader }

func newMemory(data []byte) memoryFile { return memoryFile{bytes.NewReader(data)} }

// Close implements io.Closer.
func (memoryFile) Close() error { return nil }
