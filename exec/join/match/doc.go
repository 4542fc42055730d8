// Package match is the contract between the join operator (package join) and the algorithms that find
// row pairs. Algorithms know the driving predicates only. Residual predicates, outer rows, marks and
// NULL semantics are the operator's concern, so that algorithms on other devices need not repeat them.
// A NULL operand matches nothing unless its key is null-safe.
package match
