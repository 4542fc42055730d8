// Package scope describes the possible meanings of names in a FROM clause: tables and their columns,
// the columns of joins and those that USING merges. It also builds the projections over such columns.
package scope
