package progress

import "time"

// recent is the time whose rate gives the least estimate of the remaining time.
const recent = 4 * time.Second

// leastShare is the least share from which the time that is left is estimated.
const leastShare = 0.02

// pace is how fast the share of the work that is done has grown.
type pace struct{ points []point }

// point is the share that was done after a time.
type point struct {
	share   float64
	elapsed time.Duration
}

// left adds the share that is done after a time and estimates how long the rest takes: at the rate since the statement began, or at that
// of the last seconds if it is lower. known is false if too little has been done, if the last seconds have done nothing, and if all
// of the estimated work has been done: the estimate was too low, so that it does not tell when the statement ends.
func (p *pace) left(share float64, elapsed time.Duration) (left time.Duration, known bool) {
	p.points = append(p.points, point{share, elapsed})
	for len(p.points) > 1 && p.points[1].elapsed <= elapsed-recent {
		p.points = p.points[1:]
	}
	if share < leastShare || share >= most {
		return 0, false
	}
	rest := 1 - share
	left = time.Duration(float64(elapsed) * rest / share)
	first := p.points[0]
	if elapsed <= recent {
		first = point{} // the statement began within the last seconds
	}
	gained := share - first.share
	if gained <= 0 {
		return 0, false
	}
	return max(left, time.Duration(float64(elapsed-first.elapsed)*rest/gained)), true
}
