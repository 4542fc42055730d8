package pipelinetest

import (
	"cmp"
	"slices"

	"gsql/gpu/pipeline"
)

// Prebuilt takes a step for which devices have prebuilt kernels. read returns the first elements of a column,
// and write sets them.
func Prebuilt(pl *pipeline.Pipeline, read func(column, rows int) []int64, write func(column int, values []int64)) {
	if s := pl.Sums; s != nil {
		sums := []int64{0}
		for _, v := range read(s.Of, int(read(s.Count, 1)[0])) {
			sums = append(sums, sums[len(sums)-1]+v)
		}
		write(s.To, sums)
		return
	}
	s := pl.Sort
	rows := make([]int64, read(s.Count, 1)[0])
	for i := range rows {
		rows[i] = int64(i)
	}
	words := make([][]int64, len(s.Words))
	for i, w := range s.Words {
		words[i] = read(w, len(rows))
	}
	slices.SortStableFunc(rows, func(x, y int64) int {
		for _, w := range words {
			if d := cmp.Compare(w[x], w[y]); d != 0 {
				return d
			}
		}
		return 0
	})
	write(s.To, rows)
}
