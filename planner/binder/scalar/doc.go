// Package scalar binds expressions: literals, operators, functions, predicates, rows and CASE. What depends on the query
// around an expression (names, subqueries, aggregates, window functions, DEFAULT) it asks of a Block.
package scalar
