// Package pipeline describes queries for a device: pipelines of streaming stages over columns in
// device memory, each of which ends in a sink that fills arrays for later pipelines.
//
// Programs are the interface between two packages that do not know each other: gpu/lower makes
// programs from physical plans, and gpu/pipeline/ptx makes kernels from programs, one for each
// pipeline. There are only four kinds of values. Decimals, dates and times are integers; texts are
// codes of dictionaries; functions without an operation here become tables of constants.
//
// Every integer expression has bounds, computed by interval arithmetic from those of the columns.
// No operation of 64 bits can overflow: the constructors refuse expressions that might. Operations of
// 128 bits whose bounds exceed 38 digits are checked for each row: one that overflows invalidates the
// program's results.
package pipeline
