// Command host measures a join of two tables in host memory through SQL, on one and on several GPUs of a
// machine, with inputs of half to four times the memory that the devices may use together, and with uniform and
// skewed keys:
//
//	host [-rows 27] [-devices 1,2,4] [-sizes 0.5,0.9,1.1,2,4] [-skews 0,1,1.5] [-link 55.5,110,117] [-runs n] [-out folder]
//
// Both tables have as many rows, of a key and a value of 8 bytes, of which all four columns are read (workload B
// of Maltenberger, Joining large relations on multi-GPU systems, 2024). The query aggregates over the join, and
// every answer is compared with what the rows were made of. "From the host" is the median of runs that each find
// nothing on the devices; "again" is that of runs right after each other. Devices that the machine lacks are left
// out. It writes host.json, host.md and host.svg. Build it with the tag cuda, or with the tag sim to try it.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"strconv"
	"strings"

	"gsql"
)

// options are the options of the command line.
type options struct {
	rows    int64 // of each table
	devices []float64
	sizes   []float64 // of the inputs, as multiples of the devices' memory
	skews   []float64
	link    []float64 // GB/s to the number of devices of the same place in devices
	runs    int
	kind    string
	out     string
}

func main() {
	o := options{}
	rows := flag.Int("rows", 27, "logarithm of the rows of each table, to base 2")
	flag.IntVar(&o.runs, "runs", 3, "runs that count, of either kind")
	flag.StringVar(&o.kind, "device", "gpu", "gpu or sim")
	flag.StringVar(&o.out, "out", "bench/devices/results", "folder of the report")
	lists := map[*[]float64]*string{
		&o.devices: flag.String("devices", "1,2,4", "numbers of devices"),
		&o.sizes:   flag.String("sizes", "0.5,0.9,1.1,2,4", "bytes of the inputs over those that the devices may use"),
		&o.skews:   flag.String("skews", "0,1,1.5", "exponents of the Zipf distribution of the keys of one side; 0 is uniform"),
		&o.link:    flag.String("link", "55.5,110,117", "GB/s from the host to each of these numbers of devices, together"),
	}
	flag.Parse()
	for to, text := range lists {
		var err error
		if *to, err = numbers(*text); err != nil {
			log.Fatal(err)
		}
	}
	if *rows < 4 || *rows > 30 || len(o.link) < len(o.devices) || o.runs < 1 {
		log.Fatal("want 4 to 30 for -rows, a run, and a rate for each number of devices")
	}
	o.rows = 1 << *rows
	if err := o.run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func numbers(text string) (all []float64, err error) {
	for part := range strings.SplitSeq(text, ",") {
		x, err := strconv.ParseFloat(part, 64)
		if err != nil {
			return nil, fmt.Errorf("%q is not a list of numbers", text)
		}
		all = append(all, x)
	}
	return all, nil
}

// run measures all combinations and writes the report.
func (o *options) run(ctx context.Context) error {
	db, err := gsql.Open(gsql.Config{})
	if err != nil {
		return err
	}
	defer db.Close()
	m := &measuring{options: o, s: db.NewSession()}
	defer m.s.Close()
	if err := m.fillBuild(ctx); err != nil {
		return err
	}
	r := newReport(o)
	for _, skew := range o.skews {
		if err := m.fillProbe(ctx, skew); err != nil {
			return err
		}
		for i, n := range o.devices {
			if !m.exists(ctx, int(n)) {
				continue
			}
			for _, size := range o.sizes {
				l, err := m.measure(ctx, int(n), size)
				if err != nil {
					return fmt.Errorf("Zipf %g, %g devices, %g times: %w", skew, n, size, err)
				}
				l.Skew = skew
				l.OfLink = l.HostGBs / o.link[i]
				r.add(l)
				if err := r.write(o.out); err != nil { // a run that is cut short has a report, too
					return err
				}
			}
		}
	}
	return nil
}
