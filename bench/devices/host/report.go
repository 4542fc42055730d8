package main

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"gsql/bench/record"
	"gsql/gpu"
	"gsql/internal/machine"
)

// line is one combination of skew, devices and memory.
type line struct {
	Skew         float64 `json:"zipf"`
	Devices      int     `json:"devices"`
	Size         float64 `json:"size"` // bytes of the inputs over those that the devices may use together
	Limit        int64   `json:"limit"`
	HostMS       float64 `json:"host_ms"`
	GTuples      float64 `json:"host_g_tuples"`
	HostGBs      float64 `json:"host_gb_s"`
	OfLink       float64 `json:"of_link"`
	AgainMS      float64 `json:"again_ms"`
	AgainGTuples float64 `json:"again_g_tuples"`
	Plan         string  `json:"plan"`
	Warning      string  `json:"warning,omitempty"`
	Wrong        string  `json:"wrong,omitempty"`
}

// report is what host.json holds.
type report struct {
	CPU   string `json:"cpu"`
	Cores int    `json:"cores"`
	GPU   string `json:"gpu"`
	Date  string `json:"date"`
	Rows  int64  `json:"rows_of_each_table"`
	Runs  int    `json:"runs"`
	Lines []line `json:"results"`
}

func newReport(o *options) *report {
	r := &report{CPU: machine.Processor(), Cores: runtime.NumCPU(), GPU: "no GPU", Date: time.Now().UTC().Format(time.DateOnly), Rows: o.rows, Runs: o.runs}
	devices, _ := gpu.Devices()
	for _, d := range devices {
		if info, err := d.Info(); err == nil && strings.HasPrefix(d.Name(), "cuda") == (o.kind != "sim") {
			r.GPU = info.Name
		}
	}
	return r
}

func (r *report) add(l line) {
	r.Lines = append(r.Lines, l)
	fmt.Println(l.row())
}

func (l *line) row() string {
	notes := l.Plan
	if l.Warning != "" {
		notes += "; " + l.Warning
	}
	if l.Wrong != "" {
		notes = "**WRONG** " + l.Wrong + "; " + notes
	}
	return fmt.Sprintf("| %g | %d | %g | %.1f | %.2f | %.1f | %.2f | %.1f | %.2f | %s |",
		l.Skew, l.Devices, l.Size, l.HostMS, l.GTuples, l.HostGBs, l.OfLink, l.AgainMS, l.AgainGTuples, notes)
}

// write makes the report and its plot in a folder.
func (r *report) write(folder string) error {
	var md strings.Builder
	fmt.Fprintf(&md, "# A join of host tables on several devices\n\n%s, %d cores, %s, %s. %d x %d rows of 8-byte keys and values in tables of the host, COUNT and two sums over the join, "+
		"every answer verified. `size` is the inputs' bytes over those that the devices may use together (gsql_gpu_memory_limit); `host` is the median of %d runs with nothing on the devices, `again` "+
		"that of as many after each other. `of link` is the rate of the inputs over that of the links together.\n\n![throughput](host.svg)\n\n"+
		"| Zipf | devices | size | host ms | G tuples/s | GB/s | of link | again ms | G tuples/s | where |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n",
		r.CPU, r.Cores, r.GPU, r.Date, r.Rows, r.Rows, r.Runs)
	for i := range r.Lines {
		md.WriteString(r.Lines[i].row() + "\n")
	}
	if err := record.Write(folder, "host", r, md.String()); err != nil {
		return err
	}
	return r.plot(filepath.Join(folder, "host.svg"))
}
