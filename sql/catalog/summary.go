package catalog

// Summary is what a stored table knows of itself without reading its contents.
type Summary struct {
	Rows, Bytes int64
	NextID      uint64 // the AUTO_INCREMENT value that comes next
	Created     int64  // when it was made, in microseconds since 1970-01-01 UTC
}

// Summarizer is a Table that has a Summary.
type Summarizer interface{ Summary() Summary }
