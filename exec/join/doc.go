// Package join implements the CPU's join operators. The algorithms, in packages of their own
// below, find row pairs by their driving predicates and implement the interfaces of package
// match. The operators here check residual predicates and turn the pairs into the output of the
// kind of join: padded outer rows, semi and anti joins, marks. Output columns are views (gather
// maps) over the probe batches and the collected columns; no value is copied here.
//
// The operator streaming holds one side while the other streams past; whole holds both. If memory
// is short, package spill joins the inputs in parts.
package join
