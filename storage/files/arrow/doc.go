// Package arrow reads and writes Arrow IPC files, in the file and the stream format, through the
// Arrow library.
//
// A chunk is a record batch. The library trusts a file's metadata: it allocates memory for as many
// fields as a schema claims to have, and follows it to any depth. So this package verifies the
// flatbuffers of a message or footer first (verify.go): tables, vectors and texts must lie within
// the metadata, and what is reachable, perhaps in several ways, must not exceed what fits there.
// An allocator bounds what a record may take (memory.go), and offsets, codes and views are checked
// before vectors rely on them (check.go). Lists, maps and structures become JSON (nested.go).
package arrow
