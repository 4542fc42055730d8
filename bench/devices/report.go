//go:build cuda

package main

import (
	"fmt"
	"strings"
	"time"

	"gsql/bench/record"
	"gsql/gpu"
)

// line is one case on a number of devices.
type line struct {
	Work     string  `json:"work"`
	Devices  int     `json:"devices"`
	MS       float64 `json:"ms"`
	Rate     float64 `json:"rate_g"`             // 1e9 rows per second
	Times    float64 `json:"times_one"`          // the time on one device over this
	Received int64   `json:"received,omitempty"` // the most bytes that a device received from others
	Balance  float64 `json:"balance,omitempty"`  // the busiest device's rows over the mean
}

type report struct {
	Device string   `json:"device"`
	Count  int      `json:"devices"`
	Driver string   `json:"driver"`
	Link   string   `json:"link"`
	Date   string   `json:"date"`
	Runs   int      `json:"runs"`
	Failed []string `json:"failed,omitempty"`
	Lines  []line   `json:"results"`
}

func newReport(devices []gpu.Device) (*report, error) {
	info, err := devices[0].Info()
	if err != nil {
		return nil, err
	}
	r := &report{Device: info.Name, Count: len(devices), Driver: info.Driver, Link: "none", Date: time.Now().UTC().Format(time.DateOnly), Runs: *repeats}
	if len(devices) > 1 {
		link, err := devices[0].Link(devices[1])
		if err != nil {
			return nil, err
		}
		r.Link = link.Kind
	}
	return r, nil
}

func (r *report) add(l line) {
	r.Lines = append(r.Lines, l)
	fmt.Println(l.row())
}

func (l line) row() string {
	return fmt.Sprintf("| %s | %d | %.3f | %.2f | %.2f | %.0f | %.3f |", l.Work, l.Devices, l.MS, l.Rate, l.Times, float64(l.Received)/1e6, l.Balance)
}

// write makes <count>x-<device>.json and .md in the folder.
func (r *report) write(folder string) error {
	var md strings.Builder
	fmt.Fprintf(&md, "# Several devices: %d x %s\n\nDriver %s, link %s, %s. Data resident, in equal shares; medians of %d runs by the host's clock, "+
		"every result verified on the CPU. Received: the most megabytes that a device gets from others. Balance: the busiest device's rows over the mean.\n\n",
		r.Count, r.Device, r.Driver, r.Link, r.Date, r.Runs)
	for _, f := range r.Failed {
		fmt.Fprintf(&md, "**Failed:** %s\n\n", f)
	}
	md.WriteString("| work | devices | ms | G rows/s | times one | received MB | balance |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, l := range r.Lines {
		md.WriteString(l.row() + "\n")
	}
	name := fmt.Sprintf("%dx-%s", r.Count, strings.ReplaceAll(strings.ToLower(r.Device), " ", "-"))
	return record.Write(folder, name, r, md.String())
}
