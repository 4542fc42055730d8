// Package clickbench has a table of web page views and the 43 queries of ClickBench over it. The
// table has ClickBench's columns and types; its rows are made up from hashes of row numbers, with
// the skew, the repetition and the lengths of text that make the queries what they are. The queries
// are written after the public description of what each of them measures.
package clickbench
