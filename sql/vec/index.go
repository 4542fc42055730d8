package vec

// Ascend fills idx with from, from+1 and so on: the index of consecutive rows.
func Ascend(idx []int32, from int) {
	for i := range idx {
		idx[i] = int32(from + i)
	}
}

// One returns 1 for true and 0 for false without branching. Loops that select rows add it to the
// number of rows kept.
func One(b bool) int {
	n := 0
	if b {
		n = 1
	}
	return n
}
