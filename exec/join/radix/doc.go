// Package radix is the radix-partitioned hash join (Manegold, Boncz and Kersten, Optimizing
// Main-Memory Join on Modern Hardware, 2002; Balkesen, Teubner, Alonso and Özsu, Main-Memory Hash
// Joins on Multi-Core CPUs, 2013).
//
// The build side is partitioned once, with its columns, and keeps a bucket table. The probe side
// streams: each stream collects a probe buffer of rows, orders its codes by partition and looks them
// up partition by partition, so that one partition after the other is in the cache while all rows of
// the buffer that need it are looked up and their columns are fetched.
package radix
