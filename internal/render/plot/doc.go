// Package plot draws results as charts of characters: bars, lines or points. Lines, points and the
// vertical axis are drawn by github.com/guptarohit/asciigraph, whose horizontal axis has no ticks at round numbers.
package plot
