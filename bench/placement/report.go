package main

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"time"

	"gsql/bench/record"
	"gsql/gpu"
	"gsql/internal/machine"
)

// report collects the measurements.
type report struct {
	options
	all []*measured
}

// save writes the report as JSON and Markdown.
func (r *report) save(dir string) error {
	return record.Write(dir, "placement", struct {
		Machine, GPU, Date string
		Cores              int
		Queries            []*measured
	}{machine.Processor(), gpuName(), time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(), r.all}, r.markdown())
}

// gpuName returns the manufacturer's name of the first device.
func gpuName() string {
	devices, _ := gpu.Devices()
	for _, d := range devices {
		if info, err := d.Info(); err == nil {
			return info.Name
		}
	}
	return "no device"
}

func (r *report) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Queries on the CPU and on the GPU\n\n%s, %d cores, %s, %s. Milliseconds from QueryContext to the last row, median of %d runs after one; "+
		"`first` is the first run on the GPU, `cold` one where the planner puts it while no column is on the GPU. Regret: auto over the better device.\n", machine.Processor(), runtime.NumCPU(), gpuName(), time.Now().UTC().Format(time.DateOnly), r.runs)
	suite := ""
	for _, m := range r.all {
		if m.Suite != suite {
			suite = m.Suite
			fmt.Fprintf(&b, "\n## %s\n\n%s\n| query | cpu | gpu | auto | first | cold | regret | rows | on the GPU |\n|---|---:|---:|---:|---:|---:|---:|---:|---|\n", suite, r.summary(suite))
		}
		fmt.Fprintf(&b, "| %s | %.2f | %.2f | %.2f | %.1f | %.1f | %.2f | %d | %s %s |\n", m.Name, m.CPU, m.GPU, m.Auto, m.First, m.Cold, m.Regret(), m.Rows, m.Where, m.Wrong)
	}
	return b.String()
}

// summary lists the queries that lose on the GPU, and sums of times.
func (r *report) summary(suite string) string {
	var cpu, gpu, auto, logs, worst float64
	var losing []string
	n := 0
	for _, m := range r.all {
		if m.Suite != suite {
			continue
		}
		n++
		cpu, gpu, auto = cpu+m.CPU, gpu+m.GPU, auto+m.Auto
		logs, worst = logs+math.Log(m.Regret()), max(worst, m.Regret())
		if m.GPU > m.CPU {
			losing = append(losing, fmt.Sprintf("%s (%.2f)", m.Name, m.GPU/m.CPU))
		}
	}
	return fmt.Sprintf("Slower on the GPU: %s.\n\nTogether: CPU %.1f ms, GPU %.1f, auto %.1f; regret: mean %.2f, worst %.2f.\n",
		strings.Join(losing, ", "), cpu, gpu, auto, math.Exp(logs/float64(n)), worst)
}
