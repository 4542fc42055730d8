package op

import "sync/atomic"

const (
	// Block is the number of rows processed at once if intermediate values should stay in the
	// first-level cache.
	Block = 2048
	// shareRows is the number of rows processed between checks for cancellation.
	shareRows = 1 << 17
)

// WorkersFor returns the number of goroutines that pay for a number of rows.
func WorkersFor(ctx *Ctx, rows int) int {
	return max(1, min(ctx.Workers, rows/(4*Block)))
}

// Share returns the part [from, to) of n items that one of several workers processes.
func Share(n, worker, workers int) (from, to int) {
	return n * worker / workers, n * (worker + 1) / workers
}

// EachShare divides n rows among goroutines, each of which calls f piece by piece.
func EachShare(ctx *Ctx, n int, f func(from, to int)) error {
	workers := WorkersFor(ctx, n)
	return Parallel(ctx, workers, func(w int) error {
		for from, to := Share(n, w, workers); from < to; from += shareRows {
			f(from, min(from+shareRows, to))
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		return nil
	})
}

// EachTask has goroutines, workers at most, call f for each of n tasks, which it numbers from 0. Each goroutine takes
// the next task when it is done with one.
func EachTask(ctx *Ctx, workers, n int, f func(task int) error) error {
	var next atomic.Int64
	return Parallel(ctx, min(n, workers), func(int) error {
		for {
			task := int(next.Add(1)) - 1
			if task >= n {
				return nil
			}
			if err := f(task); err != nil {
				return err
			}
		}
	})
}

// PieceRows returns the number of rows that a worker takes at a time: few enough that the workers
// finish at about the same time.
func PieceRows(ctx *Ctx, rows int) int {
	return max(1, min(1<<14, rows/(8*max(ctx.Workers, 1))))
}
