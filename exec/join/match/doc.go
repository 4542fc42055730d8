// Package match defines the interfaces between the join operators (package join) and the
// algorithms that find row pairs. Algorithms see only the driving predicates. Residual
// predicates, outer rows, marks and NULL semantics are up to the operators, so that algorithms on
// other devices need not implement them again. A NULL operand matches nothing unless its key is
// null-safe.
package match
