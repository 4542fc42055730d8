// Package cost estimates how many rows operators return and how long they take. It is
// deterministic: the same statistics and profile always yield the same numbers. No other package
// of the planner interprets catalog.Stats beyond the bounds of columns.
//
// # Cardinalities
//
// Selectivities of comparisons come from the columns' histograms and most common values. What
// these say little about (patterns, functions of columns, comparisons of two columns, several
// predicates together) is evaluated on about two thousand sample rows of the table
// (catalog.Sampler), or on a quarter of them if that decides. Results stay with the sample for
// later statements (catalog.Findings).
//
// For several inequalities between two tables, pairs of 512 sample rows of each are counted, and of
// 2,048 rows if few pairs match. A table joined with itself has its adjacent rows counted apart.
// The number of distinct combinations of several columns comes from a sample of 16 thousand rows
// (catalog.Combiner), which also reveals undeclared keys. Sums, averages and counts of groups are
// taken for normally distributed, for HAVING and for comparisons with scalar subqueries.
//
// # Prices
//
// Prices are milliseconds on a Profile, whose rates are fitted to what bench/crossover measures.
// A device has rates of its own (Accelerator). Formulas that grow steeply with an underestimate
// use pessimistic row counts.
package cost
