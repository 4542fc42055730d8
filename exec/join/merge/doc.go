// Package merge implements the sort-merge join, and the sort of codes that range joins and group
// joins also use.
//
// The sort partitions codes by range (package partition), partitions again what is too long for
// one worker, and sorts each partition by its most significant differing byte. The merge is
// divided into pieces of similar work: stretches with the same number of rows of both sides
// together begin at points of the path that merging takes through the grid of left and right
// rows, found by binary search on a diagonal (Odeh, Green, Mwassi, Shmueli and Birk, "Merge
// Path - Parallel Merging Made Simple", IPDPS Workshops 2012; Green, McColl and Bader, "GPU Merge
// Path", ICS 2012). A left row belongs to the stretch that contains it, with all of its partners.
// Groups of equal codes with many pairs belong to no stretch: they are divided into tiles of the
// same number of pairs.
package merge
