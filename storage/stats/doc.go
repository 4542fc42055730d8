// Package stats summarises columns: bounds, NULLs and order of runs of rows (Zone), sketches of
// distinct values, and histograms, common values and combinations of values in samples. It
// depends on vectors, but not on segments or tables.
package stats
