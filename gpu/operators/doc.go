// Package operators runs joins, scalar aggregates over them, and whole subtrees of plans, on a device
// as operators of exec.
//
// A join finds its row pairs on the device; exec/join builds its output from them, as it does for
// the CPU's algorithms. An aggregate fused with its join copies only one value per aggregate to the
// host. A subtree becomes a program of pipelines, which is kept for later executions of its plan; its
// result is copied as a whole, and streams convert it. If a device fails before the first row was
// returned, the CPU does the same work, and op.Ctx.FellBack is called with the reason.
package operators
