//go:build cuda

package main

import (
	"fmt"
	"strings"
	"time"

	"gsql/bench/record"
	"gsql/gpu"
)

// line is one measured case. The floor is the least time that its bytes or operations take at the
// device's measured rates; 0 if none is stated.
type line struct {
	Work    string  `json:"work"`
	MS      float64 `json:"ms"`
	Rate    float64 `json:"rate_g"` // 1e9 items per second
	Unit    string  `json:"unit"`
	FloorMS float64 `json:"floor_ms,omitempty"`
	CubMS   float64 `json:"cub_ms,omitempty"`
	Bar     float64 `json:"bar,omitempty"` // the aim, as Rate, or in milliseconds if negative
	Note    string  `json:"note,omitempty"`
}

type report struct {
	Device  string   `json:"device"`
	Driver  string   `json:"driver"`
	Link    string   `json:"link"`
	Date    string   `json:"date"`
	CopyTBs float64  `json:"copy_tb_per_s"` // read plus written
	Repeats int      `json:"repeats"`
	Failed  []string `json:"failed,omitempty"`
	Lines   []line   `json:"results"`
}

func newReport(dev gpu.Device) (*report, error) {
	info, err := dev.Info()
	if err != nil {
		return nil, err
	}
	return &report{Device: info.Name, Driver: info.Driver, Link: info.Link, Date: time.Now().UTC().Format(time.DateOnly), CopyTBs: 4.2, Repeats: repeats}, nil
}

// add records a case that took ms for items. bytes is the number of bytes that it must move, or 0
// if no floor in bytes is stated.
func (b *bench) add(work string, ms, items float64, unit string, bytes float64, more line) {
	more.Work, more.MS, more.Rate, more.Unit = work, ms, items/ms/1e6, unit
	if bytes > 0 {
		more.FloorMS = bytes / b.report.CopyTBs / 1e9
	}
	b.report.Lines = append(b.report.Lines, more)
	fmt.Println(b.report.row(&more))
}

func (r *report) row(l *line) string {
	of, bar := "", ""
	if l.CubMS > 0 {
		of = fmt.Sprintf("%.2f", l.CubMS/l.MS)
	}
	if l.Bar > 0 {
		bar = fmt.Sprintf("%g G/s", l.Bar)
	} else if l.Bar < 0 {
		bar = fmt.Sprintf("%.4g ms", -l.Bar)
	}
	return fmt.Sprintf("| %s | %.3f | %.2f %s | %s | %s | %s | %s |", l.Work, l.MS, l.Rate, l.Unit, blank(l.FloorMS), of, bar, l.Note)
}

func blank(x float64) string {
	if x == 0 {
		return ""
	}
	return fmt.Sprintf("%.3f", x)
}

// write makes <device>.json and <device>.md in the folder.
func (r *report) write(folder string) error {
	var md strings.Builder
	fmt.Fprintf(&md, "# Joins on one %s\n\nDriver %s, %s, %s. Embedded kernels launched from Go; medians of %d runs between events on the device, random data, "+
		"every result verified on the CPU. Device copy: %.2f TB/s read plus written; a floor is the least time that the bytes (or the operations, "+
		"where the note says so) need. CUB stands in the same run; a bar is the project's aim.\n\n", r.Device, r.Driver, r.Link, r.Date, r.Repeats, r.CopyTBs)
	for _, f := range r.Failed {
		fmt.Fprintf(&md, "**Failed:** %s\n\n", f)
	}
	md.WriteString("| work | ms | G/s | floor ms | of CUB | bar | note |\n| --- | ---: | ---: | ---: | ---: | ---: | --- |\n")
	for i := range r.Lines {
		md.WriteString(r.row(&r.Lines[i]) + "\n")
	}
	return record.Write(folder, strings.ReplaceAll(strings.ToLower(r.Device), " ", "-"), r, md.String())
}
