package catalog

import "strings"

// Compression is how a table's segments are compressed in files, beside the encodings that they have
// anyway.
type Compression uint8

// The compressions. The numbers are part of the format of databases in folders.
const (
	DefaultCompression Compression = iota // LZ4, not mentioned in the definition
	NoCompression
	LZ4
	Zstd
)

var compressions = [...]string{"", "none", "lz4", "zstd"}

// ParseCompression returns the compression that a table option names. MySQL's zlib selects zstd.
func ParseCompression(name string) (c Compression, ok bool) {
	name = strings.ToLower(name)
	if name == "zlib" {
		return Zstd, true
	}
	for c, known := range compressions {
		if name == known {
			return Compression(c), true
		}
	}
	return 0, false
}

// String returns the value of the table option, "" for the default.
func (c Compression) String() string { return compressions[c] }

// Valid reports whether c is one of the compressions.
func (c Compression) Valid() bool { return int(c) < len(compressions) }
