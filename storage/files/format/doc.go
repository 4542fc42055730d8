// Package format is the contract between tables of files (gsql/storage/files) and the
// formats below it: csv, jsonfile, sheet, sqlite, parquet and arrow.
//
// A format opens a File as a Part. A scan gets the Chunks of each part and hands them out to
// readers; each chunk decodes its rows into vectors independently. For writing, a format provides
// an Encoder. The package also contains what the formats share: errors, memory accounting,
// previews and bounds of values. It imports no format.
package format
