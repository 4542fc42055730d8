// Package cost estimates how many rows operators return and how long they take. It is
// deterministic: the same statistics and profile always yield the same numbers. No other package
// of the planner interprets catalog.Stats beyond the bounds of columns.
//
// # Cardinalities
//
// Selectivities of comparisons come from the columns' histograms and most common values.
// Predicates that these describe poorly (patterns, functions of columns, comparisons of two
// columns, several predicates together) are evaluated on about two thousand sample rows of the
// table (catalog.Sampler), or on a quarter of them if that is decisive. Results stay with the
// sample for later statements (catalog.Findings).
//
// For several inequalities between two tables, matches are counted among pairs of 512 sample rows
// of each table, or of 2,048 rows if few pairs match. If a table is joined with itself, pairs of
// adjacent rows are counted separately. The number of distinct combinations of several columns
// comes from a sample of 16 thousand rows (catalog.Combiner), which also reveals undeclared keys.
// Sums, averages and counts of groups are assumed to be normally distributed, for HAVING and for
// comparisons with scalar subqueries.
//
// # Prices
//
// Prices are milliseconds on a Profile, whose rates are fitted to what bench/crossover measures.
// A device has rates of its own (Accelerator). Formulas that grow steeply with an underestimate
// use pessimistic row counts.
package cost
