// Package radix implements the radix-partitioned hash join (Manegold, Boncz and Kersten,
// Optimizing Main-Memory Join on Modern Hardware, 2002; Balkesen, Teubner, Alonso and Özsu,
// Main-Memory Hash Joins on Multi-Core CPUs, 2013).
//
// The build side is partitioned once, with its columns, and keeps a bucket table. The probe side
// streams: each stream collects rows in a probe buffer, orders their codes by partition and looks
// them up partition by partition. Each partition is thus in the cache while all rows of the
// buffer that need it are looked up and their columns are fetched.
package radix
