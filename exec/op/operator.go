// Package op defines the interfaces of CPU operators: how they are opened, how many workers pull
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

// Ctx holds what every operator of a running plan may use. All goroutines of the query share it
// and do not change it; an operator that runs a subplan under other conditions (memory account,
// parameters) passes a modified copy.
type Ctx struct {
	context.Context
	Mem       *mem.Account  // the query's account; operators open children of it
	Shares    *mem.Pool     // of Mem, for operators that hold rows; nil if memory is not limited
	Workers   int           // goroutines a pipeline breaker may use, at least 1
	BatchSize int           // number of rows to aim for in a batch
	Eval      kernel.Ctx    // for expressions: session, statement time, parameters
	RowsRead  *atomic.Int64 // source rows so far, for progress; may be nil
	// SourceRows also counts source rows, of the operator that is opened with this Ctx. It may be nil.
	SourceRows *atomic.Int64
	Spill      *spill.Space // where operators put rows that do not fit in memory; nil if they must not
	// FellBack is called when an operator runs on the CPU because its device failed. It returns
	// an error if that is not allowed; a nil FellBack always allows it. It must be safe for
	// concurrent use.
	FellBack func(operator string, cause error) error
}

// Read counts n more source rows.
func (c *Ctx) Read(n int64) {
	if c.RowsRead != nil {
		c.RowsRead.Add(n)
	}
	if c.SourceRows != nil {
		c.SourceRows.Add(n)
	}
}

// Rows returns the number of rows to aim for in a batch. It is never 0.
func (c *Ctx) Rows() int {
	if c.BatchSize > 0 {
		return c.BatchSize
	}
	return vec.BatchSize
}

// Account opens the account of an operator that holds rows, with its share of the memory. The
// operator ends the account when it closes.
func (c *Ctx) Account(name string) *mem.Account { return c.Shares.Child(c.Mem, name) }

// Within returns a Ctx for operators that work for another operator, in the memory of its account
// a. shares are the shares of that memory for them, or nil.
func (c *Ctx) Within(a *mem.Account, shares *mem.Pool) *Ctx {
	own := *c
	own.Mem, own.Shares = a, shares
	return &own
}

// Operator is a node of a running plan. It is opened once, then its Streams are made, then it is
// closed once, even if Open failed. Opening an operator opens its inputs. A pipeline breaker
// (join build, aggregation, sort) does its work in Open, with up to Ctx.Workers goroutines over
// its input's streams.
type Operator interface {
	Open(ctx *Ctx) error
	// Stream returns a new iterator over the output. Up to Ctx.Workers may exist at once, each
	// for one goroutine. They share the work: together they return each row once, and a single
	// stream returns all rows, in the operator's order if it has one.
	Stream() (Stream, error)
	// Ordered reports whether the order of the rows matters. If so, only one stream may be made.
	Ordered() bool
	Close() error
}

// Stream iterates over batches in one goroutine.
type Stream interface {
	// Next returns the next batch, valid until the next call, or nil, nil at the end. Batches are
	// never empty. Soon after cancellation it returns ctx.Err().
	Next() (*vec.Batch, error)
	Close() error
}
