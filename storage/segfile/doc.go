// Package segfile keeps the columns of segments in files. A Writer writes the columns of segments
// that are in no file yet; what Files.Encode describes in a few dozen bytes a column, Files.Decode
// turns into segments whose columns are loaded when they are first read. Loaded columns stay in a
// cache of bounded size.
//
// A file consists of a header, blocks, one after the other, and a footer with the lengths of the
// blocks. Each of these has a checksum. A block is a column or a sketch; its checksum covers the
// place where it belongs, too, so that a block in a wrong place is noticed. docs/format.md has the
// bytes.
package segfile
