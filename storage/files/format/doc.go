// Package format is the contract between tables of files (gsql/storage/files) and the
// formats below it: csv, parquet and arrow.
//
// A format opens a File as a Part. A scan asks each part for its Chunks, which it hands out
// to readers; each chunk decodes its rows into vectors on its own. For writing, a format
// provides an Encoder. The package also holds what the formats share: errors, memory
// accounting, previews and bounds of values. It imports no format.
package format
