// Package hash joins by equality through one table of the build side: a directly addressed one if
// the key codes are dense, otherwise a hash table with linear probing in cache-sized regions that
// are built independently. It also has the bucket table of radix joins and the Bloom filter that
// avoids lookups of probe rows without partners.
//
// Lookups read the first slots of many codes in a short loop without branches before comparing
// any, so that cache misses overlap.
package hash
