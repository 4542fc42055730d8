// Package pipeline describes queries for a device: pipelines of streaming stages over columns in
// device memory, each of which ends in a sink that fills arrays for later pipelines.
//
// It is the form between two sides that do not know each other. Package gpu/lower makes programs
// from physical plans; package gpu/pipeline/ptx makes kernels from programs, one for each pipeline.
// The form has three kinds of values only. Decimals, dates and times are integers; texts are codes of
// dictionaries; functions without an operation here become tables of constants.
//
// Every integer expression has bounds, computed by interval arithmetic from those of the columns.
// No operation can overflow: the constructors refuse what might exceed 64 bits.
package pipeline
