// Command crossover compares the ways to run joins with the planner's prices for them. It runs one
// statement over tables of growing size, by every algorithm that hints can request. It reports which
// way is fastest, which one the planner takes and the regret of that choice (the time of the way
// taken over that of the fastest), and where one way overtakes another, in measured time and in
// price. The constants of cost.Profile are based on it.
//
//	go run ./bench/crossover [-quick] [-cpu] [-only regexp] [-runs 7] [-out bench/results/crossover]
//
// The ways run warm and take turns. Times are medians of statements whose plans are cached, or, with
// -cpu, their least processor times. Answers are compared. It writes crossover.json and crossover.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"regexp"
	"time"
)

// options holds the values of the flags.
type options struct {
	quick   bool
	cpu     bool
	only    string
	out     string
	workers int
	runs    int
	budget  time.Duration
}

func main() {
	var o options
	flag.BoolVar(&o.quick, "quick", false, "leave out tables of more than 10^6 rows")
	flag.BoolVar(&o.cpu, "cpu", false, "compare processor times, the least of each way, which other load disturbs little: with one worker")
	flag.StringVar(&o.only, "only", "", "regular expression of the names of series to run")
	flag.StringVar(&o.out, "out", "bench/results/crossover", "folder for crossover.json and crossover.md")
	flag.IntVar(&o.workers, "workers", 2, "goroutines of a statement")
	flag.IntVar(&o.runs, "runs", 7, "counted runs of a way at a point, at least; fewer where they exceed the budget, but three")
	flag.DurationVar(&o.budget, "budget", time.Second, "time of all runs at a point")
	flag.Parse()
	if err := run(&o); err != nil {
		log.Fatal(err)
	}
}

func run(o *options) error {
	only, err := regexp.Compile(o.only)
	if err != nil {
		return err
	}
	r := newReport(o)
	for _, s := range allSeries(o.quick) {
		if !only.MatchString(s.Family + ", " + s.Name) {
			continue
		}
		if err := s.measure(context.Background(), o); err != nil {
			return fmt.Errorf("%s, %s: %w", s.Family, s.Name, err)
		}
		r.Series = append(r.Series, s)
		if err := r.write(o.out); err != nil {
			return err
		}
	}
	return nil
}
