package state

// fewGroups is the greatest number of groups for which the states of a batch are kept in several
// lanes: with so few groups, consecutive rows often belong to the same one, and each would wait
// for the previous result to be stored.
const fewGroups = 128

const lanes = 4

// countFew counts the rows of each group.
func countFew(all *[fewGroups]int32, gids []int32) {
	var n [lanes][fewGroups]int32
	for ; len(gids) >= lanes; gids = gids[lanes:] {
		n[0][gids[0]&(fewGroups-1)]++
		n[1][gids[1]&(fewGroups-1)]++
		n[2][gids[2]&(fewGroups-1)]++
		n[3][gids[3]&(fewGroups-1)]++
	}
	for _, g := range gids {
		n[0][g&(fewGroups-1)]++
	}
	for g := range all {
		all[g] = n[0][g] + n[1][g] + n[2][g] + n[3][g]
	}
}

// sumFew computes the sums of each group, which must not overflow.
func sumFew(all *[fewGroups]int64, gids []int32, xs []int64) {
	var t [lanes][fewGroups]int64
	xs = xs[:len(gids)]
	for ; len(gids) >= lanes && len(xs) >= lanes; gids, xs = gids[lanes:], xs[lanes:] {
		t[0][gids[0]&(fewGroups-1)] += xs[0]
		t[1][gids[1]&(fewGroups-1)] += xs[1]
		t[2][gids[2]&(fewGroups-1)] += xs[2]
		t[3][gids[3]&(fewGroups-1)] += xs[3]
	}
	for i, g := range gids {
		t[0][g&(fewGroups-1)] += xs[i]
	}
	for g := range all {
		all[g] = t[0][g] + t[1][g] + t[2][g] + t[3][g]
	}
}
