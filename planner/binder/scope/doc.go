// Package scope describes what the names of a FROM clause can mean: tables and their columns, the columns of joins
// and those that USING merges. It also builds the projections over such columns.
package scope
