// Package scalar binds expressions: literals, operators, functions, predicates, rows and CASE. A
// Block handles everything that depends on the enclosing query: names, subqueries, aggregates,
// window functions and DEFAULT.
package scalar
