// Package spill joins inputs that memory has no room for.
//
// Grace deals with joins by equality keys: both sides are written to partitions on disk by the hash of
// their keys and joined pair by pair, each with less memory, and partitioned again if a pair is still
// too large (Grace hash join: Kitsuregawa, Tanaka and Moto-oka, Application of Hash to Data Base
// Machine and Its Architecture, 1983).
//
// Blockwise deals with other joins, and with keys whose rows alone do not fit: both sides spill, and
// as many rows of one as fit are held at a time while the other side streams past, each time anew (the
// block nested loop of Kim, A New Way to Compute the Product and Join of Relations, 1980, with an
// index over the block). Blocks of both sides are held together if the algorithm needs both whole.
// Blocks offers the same to operators outside of joins.
//
// Left rows are held unless the join is inner, because what they return depends on all right rows. If
// what right rows return depends on all left rows too, a bit for each right row records whether it has
// had a partner, and the unmatched ones are returned after the last task.
package spill
