package theta

import "math"

// KeepFactors returns a function that undoes Favour.
func KeepFactors() (undo func()) {
	swept, treed := sweepFactor, treeFactor
	return func() { waysCost(swept, treed) }
}

func waysCost(swept, treed float64) { sweepFactor, treeFactor = swept, treed }

// Favour makes one way to run range joins the cheapest, by round: windows, sweeps, sweeps with a
// tree.
func Favour(round int) {
	switch round % 3 {
	case 0:
		waysCost(math.Inf(1), math.Inf(1))
	case 1:
		waysCost(0, math.Inf(1))
	case 2:
		waysCost(1e-9, 0)
	}
}

// SmallPieces sets the work of a piece until the function that it returns is called.
func SmallPieces(work int64) (undo func()) {
	least, most := leastPiece, mostPiece
	leastPiece, mostPiece = work, work
	return func() { leastPiece, mostPiece = least, most }
}
