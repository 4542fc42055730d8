// Package spill joins inputs that do not fit in memory.
//
// Grace handles joins by equality keys. Both sides are written to partitions on disk by the hash
// of their keys and joined partition by partition, each with less memory. A pair that is still
// too large is partitioned again (Grace hash join: Kitsuregawa, Tanaka and Moto-oka, Application
// of Hash to Data Base Machine and Its Architecture, 1983).
//
// Blockwise handles other joins, and single keys with more rows than fit: both sides spill, and
// as many rows of one side as fit are held at a time while the whole other side streams past (the
// block nested loop of Kim, A New Way to Compute the Product and Join of Relations, 1980, with an
// index over the block). Blocks of both sides are held together if the algorithm needs both
// whole. Blocks offers the same to operators other than joins.
//
// Left rows are held unless the join is inner, because their output depends on all right rows. If
// the output of right rows depends on all left rows too, a bit for each right row records whether
// it has had a partner, and the unmatched ones are returned after the last task.
package spill
