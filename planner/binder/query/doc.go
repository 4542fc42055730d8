// Package query binds queries: SELECT with its FROM clause and joins, set operations, VALUES, common table expressions,
// views and recursion. The expressions in them are bound by package block, which calls back for subqueries.
package query
