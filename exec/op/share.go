package op

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

// PieceRows returns the number of rows that a worker takes at a time: few enough that the workers
// finish at about the same time.
func PieceRows(ctx *Ctx, rows int) int {
	return max(1, min(1<<14, rows/(8*max(ctx.Workers, 1))))
}
