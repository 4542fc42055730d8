package match

import (
	"gsql/exec/op"
	"gsql/internal/mem"
	"gsql/sql/vec"
)

// LeftSide and RightSide index arrays of a join's sides.
const LeftSide, RightSide = 0, 1

// Side is one input of a join as algorithms see it: a batch of probe rows, or a whole input
// collected into flat columns. Keys are the values of the join's driving expressions: first the
// equality keys, then the operands of the range predicates.
type Side struct {
	Rows int
	Cols []*vec.Vector // the columns that the output or the residual predicates need
	Keys []*vec.Vector
}

// Pairs is a sequence of row pairs: Probe[i] of the probe side matches Build[i] of the build
// side. A Prober may leave Probe nil to mean all rows of its batch, in order. The slices are
// valid until the next call; the receiver may overwrite them.
type Pairs struct {
	Probe, Build []int32
}

// Matcher finds the partners of probe rows in a build side.
type Matcher interface {
	Builder
	// Prober makes the state with which one goroutine probes.
	Prober() Prober
}

// Builder is the part of a Matcher that prepares the build side.
type Builder interface {
	// Build reads the whole build side. It is called once. It may use ctx.Workers goroutines, and
	// charges what it holds until Close to acct.
	Build(ctx *op.Ctx, acct *mem.Account, build *Side) error
	Close()
}

// Prober probes in one goroutine.
type Prober interface {
	// Probe starts on a batch, which must stay valid until Next reports that it is done.
	Probe(probe *Side) error
	// Next returns at most limit further pairs of the batch, possibly none; done reports that
	// there are no more.
	Next(limit int) (p Pairs, done bool, err error)
}

// Pairer is implemented by algorithms that need both sides whole, for example to sort or
// partition them.
type Pairer interface {
	// Build reads both sides and prepares the work that workers share. It is called once.
	Build(ctx *op.Ctx, acct *mem.Account, left, right *Side) error
	// Worker makes the state of one goroutine. Workers share the work: together they return each
	// pair once, and a single worker returns all pairs.
	Worker() PairWorker
	Close()
}

// PairWorker returns pairs in one goroutine. Probe rows are left rows; Build rows are right rows.
type PairWorker interface {
	// Next returns at most limit further pairs, possibly none; done reports that there are no
	// more for this worker.
	Next(limit int) (p Pairs, done bool, err error)
}

// BufferedMatcher is a Matcher whose probers take the rows of many batches at once.
type BufferedMatcher interface {
	Builder
	// BufferedProber makes the state with which one goroutine probes, and the source of its probe
	// rows, which it reads from in with r.
	BufferedProber(in op.Stream, r BatchReader) (Prober, ProbeRows, error)
}

// ProbeRows returns the rows of one stream, as many at a time as its prober takes.
type ProbeRows interface {
	// NextSide returns further rows, valid until the next call, and their morsel; nil at the end.
	NextSide() (*Side, int64, error)
	Close()
}

// BatchReader reads the rows of a batch as a Side, which is valid until the next call and no
// longer than the batch.
type BatchReader interface {
	Read(b *vec.Batch) (*Side, error)
}

// NullRows is what a null-aware join needs to know about a side's rows in addition to the pairs.
type NullRows struct {
	Rows  int     // of the side
	Nulls []int32 // rows in which an operand that is not null-safe is NULL, ascending
}
