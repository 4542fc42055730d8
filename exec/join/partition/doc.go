// Package partition scatters key codes and their rows to partitions by hash or by range of codes,
// for hash tables, radix joins and the sort of codes.
//
// Large inputs go through software write-combining buffers (Balkesen, Teubner, Alonso and Özsu,
// Main-Memory Hash Joins on Multi-Core CPUs, 2013, section 4): each cache line is written once
// and never read.
package partition
