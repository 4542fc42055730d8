// Package plancache keeps what repeated statements can reuse: the syntax trees of texts (Texts, one
// per connection) and the plans of queries and of statements that change rows (Plans, one per
// database), with notes that determine whether a plan is still valid.
//
// The plan of a query serves again while the store's committed state is the one it was made
// for, the Key is equal, and every system variable, file and registered Arrow table that
// binding read is unchanged (Notes). Parameters that are operands of comparisons, elements of
// IN lists or patterns of LIKE stay in a plan as placeholders, whose values no rule knows. The
// values of all other parameters are bound, and the plan serves for these values only. Each
// execution puts constants for placeholders into a copy of the operators that have some. Where
// the estimated rows of a scan then differ by a factor of four from those of the plan, the
// query is planned again (template.Template).
//
// The plan of a statement that changes one table and reads no other serves for all versions of
// the table with the same schema: it is kept without the table, and each execution puts in the
// version that its transaction sees. Values that are stored may be placeholders too.
package plancache
