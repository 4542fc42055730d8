// Package arrow reads and writes Arrow IPC files, in the file and the stream format, through the
// Arrow library.
//
// A chunk is a record batch. The library trusts a file's metadata: it allocates memory for as
// many fields as a schema claims to have, and recurses to any depth. This package therefore
// verifies the flatbuffers of a message or footer first (verify.go): tables, vectors and strings
// must be within the metadata, and the size of everything reachable, possibly along several
// paths, must not exceed what fits there. An allocator bounds the memory of a record (memory.go),
// and offsets, codes and views are checked before vectors rely on them (check.go). Lists, maps
// and structures are converted to JSON (nested.go).
package arrow
