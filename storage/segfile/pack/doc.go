// Package pack encodes integers and bytes compactly, for the columns of segment files. What it
// writes describes itself; docs/format.md lists the bytes.
//
// Integers are packed in frames of FrameRows values, each with its own base and number of bits
// (frame of reference), either as they are or as the differences of neighbours. Their greatest
// common divisor is factored out. Bytes are compressed by a general method where that saves enough.
package pack
