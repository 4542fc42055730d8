package operators

import (
	"errors"

	"gsql/planner/physical"
	"gsql/sql/sqlerr"
)

const (
	// mostHalvings limits the pieces into which a join matrix is cut if device memory is short.
	// With more of them the CPU is the better choice.
	mostHalvings = 6
	// partRows is the unit in which sides are divided: it keeps columns aligned.
	partRows = 1 << 12
	// mostRows is the largest number of rows of a part's side: kernels number them with 32 bits and
	// use one bit for marks.
	mostRows = 1 << 30
)

// eachPart calls do for both whole sides or, if device memory does not suffice or a side has more
// than mostRows rows, recursively for the halves of the larger side (the join matrix cut into
// pieces: Boeschen and Binnig, 2022). do reports whether it has emitted some of a part's result:
// such a part cannot be restarted.
//
// pieces are the largest parts if the plan says that both sides do not fit, else nil.
func eachPart(left, right span, pieces *physical.MatrixPieces, do func(left, right span) (out bool, err error)) error {
	if pieces == nil {
		return halve(left, right, mostHalvings, do)
	}
	for _, l := range left.parts(pieces.Left) {
		for _, r := range right.parts(pieces.Right) {
			if err := halve(l, r, mostHalvings, do); err != nil {
				return err
			}
		}
	}
	return nil
}

// parts cuts a span into parts of at most about so many rows.
func (s span) parts(rows int64) (out []span) {
	rows = max(rows/partRows*partRows, partRows)
	for from := s.from; from < s.to; from += rows {
		out = append(out, span{from, min(from+rows, s.to)})
	}
	return out
}

func halve(left, right span, halvings int, do func(left, right span) (bool, error)) error {
	var err error
	if max(left.rows(), right.rows()) <= mostRows {
		var out bool
		out, err = do(left, right)
		if !errors.Is(err, sqlerr.OutOfMemory) || out || halvings == 0 {
			return err
		}
		halvings--
	}
	cutLeft := left.rows() >= right.rows()
	a, b, ok := cut(right)
	if cutLeft {
		a, b, ok = cut(left)
	}
	if !ok {
		return err
	}
	for _, s := range []span{a, b} {
		if cutLeft {
			err = halve(s, right, halvings, do)
		} else {
			err = halve(left, s, halvings, do)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// cut halves a span; ok is false if it is too short.
func cut(s span) (a, b span, ok bool) {
	half := (s.rows()/2 + partRows - 1) / partRows * partRows
	if half == 0 || half >= s.rows() {
		return s, s, false
	}
	return span{s.from, s.from + half}, span{s.from + half, s.to}, true
}
