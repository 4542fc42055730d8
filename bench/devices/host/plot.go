package main

import (
	"fmt"
	"image/color"
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// The size of each of the plots, which stand beside each other, one for each skew.
const (
	plotWidth  = 9 * vg.Centimeter
	plotHeight = 8 * vg.Centimeter
)

// plot draws the throughput over the size of the inputs, a line for each number of devices. The devices' memory is
// marked.
func (r *report) plot(path string) error {
	var skews []float64
	most := 0.0
	for _, l := range r.Lines {
		if len(skews) == 0 || skews[len(skews)-1] != l.Skew {
			skews = append(skews, l.Skew)
		}
		most = max(most, l.GTuples)
	}
	if len(skews) == 0 {
		return nil
	}
	all := make([]*plot.Plot, len(skews))
	for i, skew := range skews {
		var err error
		if all[i], err = r.ofSkew(skew, most); err != nil {
			return err
		}
	}
	canvas := vgsvg.New(plotWidth*vg.Length(len(all)), plotHeight)
	tiles := draw.Tiles{Rows: 1, Cols: len(all)}
	for i, c := range plot.Align([][]*plot.Plot{all}, tiles, draw.New(canvas))[0] {
		all[i].Draw(c)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err = canvas.WriteTo(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// ofSkew returns the plot of one skew.
func (r *report) ofSkew(skew, most float64) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = fmt.Sprintf("Zipf %g", skew)
	p.X.Label.Text, p.Y.Label.Text = "inputs / memory of the devices", "G tuples/s from the host"
	p.Y.Min, p.Y.Max = 0, 1.1*most
	edge, err := plotter.NewLine(plotter.XYs{{X: 1}, {X: 1, Y: 1.1 * most}})
	if err != nil {
		return nil, err
	}
	edge.Color, edge.Dashes = color.Gray{128}, []vg.Length{vg.Points(3), vg.Points(3)}
	p.Add(plotter.NewGrid(), edge)
	points := map[int]plotter.XYs{}
	var order []int
	for _, l := range r.Lines {
		if l.Skew != skew {
			continue
		}
		if points[l.Devices] == nil {
			order = append(order, l.Devices)
		}
		points[l.Devices] = append(points[l.Devices], plotter.XY{X: l.Size, Y: l.GTuples})
	}
	var lines []any
	for _, n := range order {
		lines = append(lines, fmt.Sprintf("%d devices", n), points[n])
	}
	p.Legend.Top = true
	return p, plotutil.AddLinePoints(p, lines...)
}
