// Package mem accounts for the memory of statements, tables and databases: a tree of accounts
// whose upper ones hold the limits, and buffers off the Go heap for what is large.
//
// Operators reserve before they allocate. A refusal is error 1037, or makes the operator spill. Half
// of a statement's limit is set aside in equal shares (Pool) for the operators that hold rows at the
// same time, at most 4 MB for each worker: within its share an operator proceeds whatever the others
// hold. What lies beyond the shares goes to whoever asks first. Operators that can spill leave a
// sixteenth of the limit to the others (Account.Yielding).
//
// Buffers are freed by name and recycled. Tests have freed memory overwritten at once (PoisonFreed),
// so that no stale read goes unnoticed. Memory that is freed twice or written after it was freed, and
// accounts that return more than they took, are panics in tests.
//
// The Go heap is part of what the limits bound. Under a limit, garbage is collected while statements
// reserve memory and spill, so that it does not grow to the size of what is alive.
package mem
