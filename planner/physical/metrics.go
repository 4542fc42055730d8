package physical

import "time"

// Metrics holds the measurements of one operator during an execution, by node ID in EXPLAIN
// ANALYZE.
type Metrics struct {
	Rows    int64         // output rows
	Batches int64         // output batches
	Unread  bool          // its rows were not read: it was skipped, or another operator did its work
	Time    time.Duration // time spent in this operator and below it, summed over workers
	Mem     int64         // most bytes held at once; 0 if it holds none
	Spilled int64         // bytes written to temporary files
	Dropped int64         // rows of a scan that dynamic filters dropped

	// Bytes that crossed to and from the node's device; 0 on the CPU.
	BytesToDevice, BytesFromDevice int64
	// DeviceTime is how long the operator occupied its device, by the device's clock.
	DeviceTime time.Duration
	// Launches counts the kernels and fills that it launched there, Waits how often the host waited for
	// them.
	Launches, Waits int64
	Pieces          int64 // in which rows came from host memory while the device worked; 0 if they did not
	Passes          int64 // of the join with the largest index, if there were several
	// Divided is how long the host took to divide rows into partitions; 0 if it did not.
	Divided time.Duration
	// Received are the bytes that each of several devices received from others, and Balance the most rows
	// of one over the mean.
	Received []int64
	// Sent are the bytes that the host sent to each of several devices, if it has divided the rows among them.
	Sent    []int64
	Balance float64
	// Fallback is the reason why the operator ran on the CPU instead of its device, or "".
	Fallback string
}
