package cost

import "math"

// MatrixPieces is how the matrix of a join, all pairs of rows, is cut if its inputs do not fit a device: into pieces of
// so many rows of each side.
type MatrixPieces struct {
	Left, Right float64 // rows of a piece
	Across      float64 // pieces along the left side
	Down        float64 // along the right side
}

// matrixShare is the share of the device's memory for the inputs of a piece. The rest is for row pairs, and for
// what the kernels need besides.
const matrixShare = 0.5

// mostPieces is the most pieces into which a matrix is cut.
const mostPieces = 4096

// Pieces cuts the matrix of two inputs of so many rows and bytes. The matrix has t = |L| |R| / (l r) pieces of l
// rows of the left and r rows of the right side, whose bytes together are at most a share of the memory M. If a
// side takes at most half of it, all of it is in each piece, and the pieces are strips of the other one; otherwise
// each side has half, which makes them squares in bytes. ok is false if they would be too many.
func (a *Accelerator) Pieces(left, right, leftBytes, rightBytes float64) (p MatrixPieces, ok bool) {
	memory := matrixShare * a.FreeBytes
	rows := func(rows, bytes, share float64) float64 { return math.Floor(rows * min(1, share/max(bytes, 1))) }
	p = MatrixPieces{Left: rows(left, leftBytes, memory/2), Right: rows(right, rightBytes, memory/2)}
	switch {
	case leftBytes <= memory/2:
		p.Right = rows(right, rightBytes, memory-leftBytes)
	case rightBytes <= memory/2:
		p.Left = rows(left, leftBytes, memory-rightBytes)
	}
	p.Across, p.Down = math.Ceil(left/max(p.Left, 1)), math.Ceil(right/max(p.Right, 1))
	return p, p.Left >= 1 && p.Right >= 1 && p.Across*p.Down <= mostPieces
}

// Again returns the bytes that cross the link more than once: a part of one side is copied for each piece of
// the other.
func (p *MatrixPieces) Again(leftBytes, rightBytes float64) float64 {
	return (p.Down-1)*leftBytes + (p.Across-1)*rightBytes
}
