// Package arrowvec converts between Arrow arrays, in which tables and files store their columns,
// and the vectors that operators compute with.
//
// FromArray shares the array's memory if the layouts match (BIGINT, DOUBLE, DECIMAL, microsecond
// timestamps, the bytes of strings, the codes of dictionaries) and otherwise widens into the
// vector's own buffers. The garbage collector keeps shared memory alive; arrays whose memory
// comes from an allocator outside the Go heap must outlive the vectors made from them.
package arrowvec
