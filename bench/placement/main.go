// Command placement measures whole queries on the CPU, on the GPU, and where the planner puts them:
// the grid of joins and aggregates, the group-by questions of the H2O benchmark, and TPC-H.
//
//	placement [-grid] [-large] [-h2o rows] [-tpch sf] [-memory 26x28] [-runs n] [-only regexp] [-profiles folder] [-out folder]
//
// With -memory it measures a join of 2^26 and 2^28 rows on the GPU with ever less memory, down to a quarter of
// its inputs, and writes memory.md.
//
// A time is the median of some runs from QueryContext to the last row, after one that does not
// count, with the tables in memory. The answers of the devices must be equal; sums of doubles may
// differ by 1e-12. Build it with the tag cuda on a machine with a GPU, or with the tag sim to try it.
package main

import (
	"context"
	"database/sql"
	"flag"
	"log"
	"regexp"

	"gsql"
)

// options are the options of the command line.
type options struct {
	device string // gpu or sim
	runs   int
	only   *regexp.Regexp
	// profiles is the folder for CPU profiles of runs on the GPU, both of first runs and of
	// measured ones; "" for none.
	profiles string
}

func main() {
	grid := flag.Bool("grid", false, "joins and aggregates over tables of 10^4 to 10^7 rows")
	large := flag.Bool("large", false, "the grid's tables of 10^8 rows, too")
	h2o := flag.Int64("h2o", 0, "rows of the table of the H2O group-by questions")
	scale := flag.Float64("tpch", 0, "scale factor of TPC-H")
	memory := flag.String("memory", "", "logarithms of the rows of a join that is measured with ever less device memory, such as 26x28")
	device := flag.String("device", "gpu", "gpu or sim")
	runs := flag.Int("runs", 5, "runs of a query that count")
	only := flag.String("only", "", "regular expression of the names of queries to run")
	profiles := flag.String("profiles", "", "folder for processor profiles of the runs on the GPU")
	out := flag.String("out", "bench/placement/results", "folder of the report")
	flag.Parse()
	o := options{device: *device, runs: *runs, only: regexp.MustCompile(*only), profiles: *profiles}
	err := run(o, *grid, *large, *h2o, *scale, *out)
	if *memory != "" && err == nil {
		err = runMemory(o, *memory, *out)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// runMemory measures a join with ever less device memory, in a database of its own.
func runMemory(o options, sizes, out string) error {
	j, err := parseJoined(sizes)
	if err != nil {
		return err
	}
	return inDatabase(func(s *gsql.Session, pool *sql.DB) error {
		if err := j.fill(s); err != nil {
			return err
		}
		return (&report{options: o}).memory(pool, j, out)
	})
}

// inDatabase calls f with a session and connections of a new database in memory.
func inDatabase(f func(s *gsql.Session, pool *sql.DB) error) error {
	db, err := gsql.Open(gsql.Config{})
	if err != nil {
		return err
	}
	defer db.Close()
	s := db.NewSession()
	defer s.Close()
	pool := sql.OpenDB(gsql.NewConnector(db))
	defer pool.Close()
	return f(s, pool)
}

func run(o options, grid, large bool, h2o int64, scale float64, out string) error {
	return inDatabase(func(s *gsql.Session, pool *sql.DB) error {
		r := &report{options: o}
		if grid {
			if err := fillGrid(s, large); err != nil {
				return err
			}
			if err := r.measureAll(pool, "grid", gridQueries(large)); err != nil {
				return err
			}
		}
		if h2o > 0 {
			if err := fillH2O(s, h2o); err != nil {
				return err
			}
			if err := r.measureAll(pool, "H2O group-by", h2oQueries); err != nil {
				return err
			}
		}
		if scale > 0 {
			queries, err := fillTPCH(context.Background(), s, scale)
			if err != nil {
				return err
			}
			if err := r.measureAll(pool, "TPC-H", queries); err != nil {
				return err
			}
		}
		if len(r.all) == 0 {
			return nil
		}
		return r.save(out)
	})
}
