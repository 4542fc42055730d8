package join

import (
	"gsql/exec/join/match"
	"gsql/exec/op"
)

// heldFinder is unknownFinder for left rows that are held while right rows stream past. After the
// pairs of a batch of right rows, it evaluates the condition for the right rows with NULLs
// against all left rows, and for the left rows with NULLs against all right rows of the batch.
type heldFinder struct {
	*unknownFinder
	left      *match.Side
	leftNulls []int32
}

// find completes the marks of the left rows for a batch of right rows.
func (h *heldFinder) find(right *match.Side) error {
	if right.Rows == 0 {
		return nil
	}
	h.right, h.nulls = right, h.plan.findNulls(right)
	for _, l := range h.leftNulls {
		if h.settled(int(l)) {
			continue
		}
		if h.direct {
			h.row[0] = l
			set(h.marks.unknown, h.row[:], h.marks.shared)
		} else if err := h.scan(h.left, l, true); err != nil {
			return err
		}
	}
	for _, r := range h.nulls.Nulls {
		if err := h.meet(r); err != nil {
			return err
		}
	}
	return nil
}

// meet evaluates the condition for a right row and the left rows whose mark is not known.
func (h *heldFinder) meet(r int32) error {
	for from := 0; from < h.left.Rows; from += op.Block {
		if err := h.ctx.Err(); err != nil {
			return err
		}
		h.l, h.r = h.l[:0], h.r[:0]
		for l := from; l < min(from+op.Block, h.left.Rows); l++ {
			if !h.settled(l) {
				h.l, h.r = append(h.l, int32(l)), append(h.r, r)
			}
		}
		if len(h.l) == 0 {
			continue
		}
		unknown := h.l
		if !h.direct {
			var err error
			if _, unknown, err = h.check.keep(h.left, h.right, h.l, h.r); err != nil {
				return err
			}
		}
		set(h.marks.unknown, unknown, h.marks.shared)
	}
	return nil
}
