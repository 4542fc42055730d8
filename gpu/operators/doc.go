// Package operators runs joins, and scalar aggregates over them, on a device as operators
// of exec.
//
// A join finds its row pairs on the device; exec/join builds its output from them, as it does for
// the CPU's algorithms. An aggregate fused with its join copies only one value per aggregate to the
// host. If a device fails before the first row was returned, the CPU does the same work, and
// op.Ctx.FellBack is called with the reason.
package operators
