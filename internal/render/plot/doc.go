// Package plot draws results as charts of characters: bars, lines or points. Lines, points and their axes are
// drawn by github.com/guptarohit/asciigraph.
package plot
