package catalog

// Summary describes a stored table without reading its contents.
type Summary struct {
	Rows, Bytes int64
	NextID      uint64 // next AUTO_INCREMENT value
	Created     int64  // creation time in microseconds since 1970-01-01 UTC
}

// Summarizer is a Table that has a Summary.
type Summarizer interface{ Summary() Summary }
