// Package block binds everything that depends on one query block: it resolves names through the
// block and its enclosing blocks, binds GROUP BY, aggregates, window functions, the select list,
// HAVING and ORDER BY, and turns expressions over rows into expressions over groups. It leaves
// subqueries to a Queries.
package block
