// Package op is the contract of CPU operators: how they open, how many workers pull
// batches from them, how they account for memory and how they are measured.
package op

import (
	"context"
	"sync/atomic"

	"gsql/exec/spill"
	"gsql/internal/mem"
	"gsql/sql/kernel"
	"gsql/sql/vec"
)

// Ctx is what every operator of a running plan may use. All goroutines of the query share it
// and leave it unchanged; an operator that runs a subplan under other conditions (memory
// account, parameters) passes it a changed copy.
type Ctx struct {
	context.Context
	Mem       *mem.Account  // the query's account; operators open children of it
	Shares    *mem.Pool     // of Mem, for operators that hold rows; nil without a limit
	Workers   int           // goroutines a pipeline breaker may use, at least 1
	BatchSize int           // rows a batch aimed for
	Eval      kernel.Ctx    // what expressions may ask: session, statement time, parameters
	RowsRead  *atomic.Int64 // source rows so far, for progress; may be nil
	Spill     *spill.Space  // where operators put rows that memory has no room for; nil: nowhere
	// FellBack is called when an operator runs on the CPU because its device failed. It returns
	// an error where that is not allowed; nil allows it always. Safe for concurrent use.
	FellBack func(operator string, cause error) error
}

// Read counts n more source rows.
func (c *Ctx) Read(n int64) {
	if c.RowsRead != nil {
		c.RowsRead.Add(n)
	}
}

// Rows is the number of rows to aim for in a batch, never 0.
func (c *Ctx) Rows() int {
	if c.BatchSize > 0 {
		return c.BatchSize
	}
	return vec.BatchSize
}

// Account opens the account of an operator that holds rows, with its share of the memory. The
// operator ends it when it closes.
func (c *Ctx) Account(name string) *mem.Account { return c.Shares.Child(c.Mem, name) }

// Within returns what operators run under that work for another one, in the memory of its account:
// shares, which may be nil, are what that has for them.
func (c *Ctx) Within(a *mem.Account, shares *mem.Pool) *Ctx {
	own := *c
	own.Mem, own.Shares = a, shares
	return &own
}

// Operator is a node of a running plan. The life of an operator: Open once, then
// Streams, then Close once (also after a failed Open). Opening an operator opens its
// inputs; a pipeline breaker (join build, aggregation, sort) does its work in Open,
// with up to Ctx.Workers goroutines over its input's streams.
type Operator interface {
	Open(ctx *Ctx) error
	// Stream makes one of the iterators over the output. Up to Ctx.Workers may exist at
	// once, each for one goroutine. They share the work: together they deliver each row
	// once, and a single one delivers all rows, in order where the operator has one.
	Stream() (Stream, error)
	// Ordered reports whether rows come in an order that matters: then only one stream may
	// be made.
	Ordered() bool
	Close() error
}

// Stream iterates over batches in one goroutine.
type Stream interface {
	// Next returns the next batch, valid until the following call, or nil, nil at the
	// end. Batches are never empty. It returns ctx.Err() soon after cancellation.
	Next() (*vec.Batch, error)
	Close() error
}
