// Package input describes what a join reads from its inputs, and reads it: batch by batch, or
// whole, into columns. Group joins and joins on devices use it as well.
package input
