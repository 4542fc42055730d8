// Package notation reads numbers, dates and times as text files write them, and finds the type that all
// values of a column have.
package notation
