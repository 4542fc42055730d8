//go:build cuda

// Command devices measures what runs on several NVIDIA GPUs of one machine beside the same on one:
//
//	devices [-runs n] [-only regexp] [-out bench/devices/results]
//
// Data resides in the devices' memory, each of which has an equal share of all rows. Every case checks
// its result against the CPU's. A time is the median of the runs, from the host's first call until all
// devices are done, after two runs that do not count.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"regexp"
	"slices"
	"time"

	"gsql/gpu"
	_ "gsql/gpu/cuda" // registers the GPUs
	"gsql/gpu/engine"
	"gsql/gpu/group"
)

var (
	repeats = flag.Int("runs", 9, "runs of a case that count")
	only    = flag.String("only", "", "regular expression of the cases to run")
	out     = flag.String("out", "bench/devices/results", "folder of the report")
)

func main() {
	flag.Parse()
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	match, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	devices, reasons := gpu.Devices()
	if len(devices) == 0 {
		return fmt.Errorf("no GPU: %v", reasons)
	}
	r, err := newReport(devices)
	if err != nil {
		return err
	}
	var engines []*engine.Engine
	for _, d := range devices {
		e, err := engine.New(d, 0)
		if err != nil {
			return err
		}
		defer e.Close()
		engines = append(engines, e)
	}
	for _, c := range cases {
		if !match.MatchString(c.name) {
			continue
		}
		one := 0.0
		for n := 1; n <= len(engines); n *= 2 {
			l, err := runCase(engines[:n], c)
			if err != nil {
				r.Failed = append(r.Failed, fmt.Sprintf("%s on %d: %v", c.name, n, err))
				log.Print(r.Failed[len(r.Failed)-1])
				continue
			}
			if n == 1 {
				one = l.MS
			}
			if one > 0 {
				l.Times = one / l.MS
			}
			r.add(l)
		}
	}
	return r.write(*out)
}

// benchmark is one case: prepare makes its data on a group and returns the work to measure, which fills
// in what it knows of the exchange, and a check of the last run's result.
type benchmark struct {
	name    string
	items   int64
	prepare func(g *group.Group) (work func(l *line) error, check func() error, err error)
}

func runCase(engines []*engine.Engine, c benchmark) (l line, err error) {
	l = line{Work: c.name, Devices: len(engines)}
	g, err := group.Begin(context.Background(), engines, "benchmark")
	if err != nil {
		return l, err
	}
	defer func() { err = errors.Join(err, g.End()) }()
	work, check, err := c.prepare(g)
	if err != nil {
		return l, err
	}
	var times []float64
	for i := -2; i < *repeats; i++ {
		began := time.Now()
		if err := work(&l); err != nil {
			return l, err
		}
		if i >= 0 {
			times = append(times, time.Since(began).Seconds()*1e3)
		}
	}
	if err := check(); err != nil {
		return l, err
	}
	slices.Sort(times)
	l.MS = times[len(times)/2]
	l.Rate = float64(c.items) / l.MS / 1e6
	return l, nil
}
