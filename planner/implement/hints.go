package implement

import (
	"fmt"
	"slices"
	"strings"

	"gsql/planner/fuse"
	"gsql/planner/logical"
	"gsql/planner/physical"
	"gsql/sql/sqlerr"
)

const forbiddenByHint = "forbidden by hint"

// restrict forbids the algorithms that a hint forbids, and all others if it forces some. If no
// algorithm would remain, the hint is ignored with a warning.
func (p *planner) restrict(b *bidder, cands []candidate) {
	h := b.n.Hint
	if h == nil || len(h.Force)+len(h.Forbid) == 0 {
		return
	}
	allowed := func(c *candidate) bool {
		algo := strings.TrimSuffix(string(c.algo), "_join")
		return (len(h.Force) == 0 || slices.Contains(h.Force, algo)) && !slices.Contains(h.Forbid, algo)
	}
	why, left := "it leaves no algorithm", false
	for i := range cands {
		if !allowed(&cands[i]) {
			continue
		}
		left = left || cands[i].why == ""
		if cands[i].why != "" {
			why = "the join has " + cands[i].why
		}
	}
	if !left {
		p.ignored(h, why)
		return
	}
	for i := range cands {
		if cands[i].why == "" && !allowed(&cands[i]) {
			cands[i].why = forbiddenByHint
			b.forbidden = append(b.forbidden, cands[i].algo)
		}
	}
}

// steer forbids the CPU if a hint or the session's setting demands a device. If no device can run
// the join, it runs on the CPU and a warning reports this.
func (p *planner) steer(b *bidder, cands []candidate, offers []offer) {
	hint := deviceHint(b.n.Hint)
	if hint == "cpu" || hint == "" && !p.place.forced() {
		return
	}
	if slices.ContainsFunc(offers, func(o offer) bool { return o.bid.Why == "" }) {
		for i := range cands {
			if cands[i].why == "" && hint != "" {
				cands[i].why = forbiddenByHint
			} else if cands[i].why == "" {
				cands[i].why = "gsql_device is " + p.place.Device
			}
		}
		return
	}
	why := refusal(cands, offers)
	if hint != "" {
		p.declined(b.n.Hint, why)
	} else {
		p.fellBack(fmt.Sprintf("A join runs on the CPU, not on %s: %s", p.devices[0].Device, why))
	}
}

// mustRunOnDevice reports whether a setting or a hint requests a device and one can run the join:
// CPU algorithms do not bid then. If no device can, they bid as if none had been requested.
func (b *bidder) mustRunOnDevice() bool {
	hint := deviceHint(b.n.Hint)
	if len(b.p.devices) == 0 || hint == "cpu" || hint == "" && !b.p.place.forced() {
		return false
	}
	return slices.ContainsFunc(b.offers(nil), func(o offer) bool { return o.bid.Why == "" })
}

// deviceRefusals returns the bids of devices that cannot run a join.
func deviceRefusals(join *physical.Node) (bids []physical.Bid) {
	for _, bid := range join.Rejected {
		if bid.Device != physical.CPU && bid.Why != "" {
			bids = append(bids, bid)
		}
	}
	return bids
}

func deviceHint(h *logical.JoinHint) string {
	if h == nil {
		return ""
	}
	return h.Device
}

// refusal returns why no offer can run: the reason for the algorithm that the CPU uses, if it has
// one.
func refusal(cands []candidate, offers []offer) string {
	if best := cheapestOf(cands); best >= 0 {
		for i := range offers {
			if offers[i].algo() == cands[best].algo {
				return offers[i].bid.Why
			}
		}
	}
	return offers[0].bid.Why
}

func (o *offer) algo() physical.JoinAlgo {
	algo, _, _ := strings.Cut(o.bid.Algorithm, " ")
	return physical.JoinAlgo(algo)
}

// note is a warning of one planning pass. It is reported only if the resulting plan is kept.
type note struct {
	code     sqlerr.Code
	msg      string
	fallback bool              // a device was requested, but not used
	hint     *logical.JoinHint // that requested it, if one did
}

func (p *planner) ignored(h *logical.JoinHint, why string) {
	p.notes = append(p.notes, note{code: sqlerr.HintIgnored, msg: ignoredHint(h, why)})
}

// declined records that a hint requests a device that cannot be used.
func (p *planner) declined(h *logical.JoinHint, why string) {
	p.notes = append(p.notes, note{sqlerr.HintIgnored, ignoredHint(h, why), true, h})
}

func ignoredHint(h *logical.JoinHint, why string) string {
	return fmt.Sprintf("Hint %s is ignored: %s", h.Text, why)
}

// fellBack records, once per query, that the session's setting requests a device that cannot be
// used.
func (p *planner) fellBack(msg string) {
	if !slices.ContainsFunc(p.notes, func(n note) bool { return n.code == sqlerr.SecondaryEngine }) {
		p.notes = append(p.notes, note{sqlerr.SecondaryEngine, msg, true, nil})
	}
}

// renote adapts the notes of p to a plan with pipelines: those that report joins on the CPU stay as
// far as they are true. A planner without devices has none yet.
func renote(p *planner, r *fuse.Result, device physical.Device) {
	left := keepNotes(p, r.Root)
	if len(p.devices) > 0 {
		return
	}
	why := func(op physical.Op) string {
		if reason := r.Refused[op]; reason != "" {
			return reason
		}
		return "it has no form for the device"
	}
	for i, h := range p.hints {
		if !slices.Contains(p.hints[:i], h) && !fuse.Obeyed(r.Root, h) {
			p.declined(h, why(hinted(r.Root, h)))
		}
	}
	if p.place.forced() && len(left) > 0 {
		p.fellBack(fmt.Sprintf("A join runs on the CPU, not on %s: %s", device, why(left[0].Op)))
	}
}

// keepNotes drops the notes of p that report joins on the CPU and do not apply to a plan, in which an aggregate may
// run on a device together with its join. It returns the joins that are on the CPU.
func keepNotes(p *planner, root *physical.Node) (left []*physical.Node) {
	left = fuse.LeftJoins(root)
	p.notes = slices.DeleteFunc(p.notes, func(n note) bool {
		return n.fallback && (n.hint != nil && fuse.Obeyed(root, n.hint) || n.hint == nil && len(left) == 0)
	})
	return left
}

// hinted returns the join with the hint h, or nil if an alternative without it was chosen.
func hinted(n *physical.Node, h *logical.JoinHint) physical.Op {
	if j, ok := n.Op.(*physical.Join); ok && j.Hint == h {
		return n.Op
	}
	for _, in := range n.In {
		if op := hinted(in, h); op != nil {
			return op
		}
	}
	return nil
}
