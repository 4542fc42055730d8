package fill

import "math"

// Zipf maps u in [0, 1) to a rank in [1, n] by the continuous distribution with density x^-s.
func Zipf(u, n, s float64) float64 {
	if s == 1 {
		return math.Exp(u * math.Log(n))
	}
	return math.Pow(1+u*(math.Pow(n, 1-s)-1), 1/(1-s))
}
