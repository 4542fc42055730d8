package join

import (
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// Side is one input of a join as matchers see it: a batch of probe rows, or a whole
// input collected into flat columns. Keys are the values of the join's driving
// expressions, first the equality keys and then the range predicates' operands.
type Side struct {
	Rows int
	Cols []*vec.Vector // the columns that the output or the residual needs
	Keys []*vec.Vector
}

// Pairs is a run of row pairs: Probe[i] of the probe side goes with Build[i] of the
// build side. A Prober may leave Probe nil where it would be all rows of its batch, in
// order. Who gets one may change the slices' contents; they are valid until the
// next call to the one who gave them.
type Pairs struct {
	Probe, Build []int32
}

// Matcher finds the partners of probe rows in a build side. It knows the driving
// predicates only: residuals, outer rows, marks and NULL semantics are the
// operator's concern, so that matchers on other devices need not repeat them. A NULL
// operand matches nothing, except where a key is null-safe.
type Matcher interface {
	builder
	// Prober makes the state with which one goroutine probes.
	Prober() Prober
}

// builder is what a Matcher is before it is probed.
type builder interface {
	// Build takes the whole build side, once. It may use ctx.Workers goroutines and
	// charges what it holds to acct until Close.
	Build(ctx *op.Ctx, acct *mem.Account, build *Side) error
	Close()
}

// Prober probes in one goroutine.
type Prober interface {
	// Probe starts on a batch, which stays valid until Next has said that it is done.
	Probe(probe *Side) error
	// Next gives at most limit further pairs of the batch, possibly none; done tells
	// that there are no more.
	Next(limit int) (p Pairs, done bool, err error)
}

// Pairer is the contract of algorithms that need both sides whole, for example to
// sort or to partition them.
type Pairer interface {
	// Build takes both sides, once, and prepares the work to be dealt out.
	Build(ctx *op.Ctx, acct *mem.Account, left, right *Side) error
	// Worker makes the state of one goroutine. All workers share the work: together
	// they give each pair once, and one alone gives all.
	Worker() PairWorker
	Close()
}

// PairWorker gives pairs in one goroutine; Probe rows are left and Build rows right.
type PairWorker interface {
	// Next gives at most limit further pairs, possibly none; done tells that there are
	// no more for this worker.
	Next(limit int) (p Pairs, done bool, err error)
}
