package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"gsql"
)

// bcase is one thing to measure: a statement over rows source rows.
type bcase struct {
	name  string
	setup func(context.Context, *gsql.DB) error // once, may be nil
	sql   string
	reset string                  // run before each measured run, not counted
	rows  int64                   // source rows, for rows/s
	file  string                  // source file whose size gives MB/s, or ""
	check func(first []any) error // checks the first row of the result
}

// measured is the result of a case.
type measured struct {
	Name       string  `json:"name"`
	SQL        string  `json:"sql"`
	MedianMS   float64 `json:"median_ms"`
	MinMS      float64 `json:"min_ms"`
	MaxMS      float64 `json:"max_ms"`
	Rows       int64   `json:"rows"`
	RowsPerSec float64 `json:"rows_per_second"`
	MBPerSec   float64 `json:"mb_per_second,omitempty"`
	AllocMB    float64 `json:"go_heap_allocated_mb"`
}

func (m measured) String() string {
	return fmt.Sprintf("%-44s %9.1f ms  (%.1f .. %.1f)  %8.1f M rows/s  %7.0f MB/s  %7.1f MB allocated",
		m.Name, m.MedianMS, m.MinMS, m.MaxMS, m.RowsPerSec/1e6, m.MBPerSec, m.AllocMB)
}

func measure(ctx context.Context, db *gsql.DB, c bcase, runs int) (measured, error) {
	if c.setup != nil {
		if err := c.setup(ctx, db); err != nil {
			return measured{}, err
		}
	}
	s := db.NewSession()
	defer s.Close()
	var times []float64
	var alloc uint64
	for i := -1; i < runs; i++ {
		if c.reset != "" {
			if _, _, err := s.Exec(ctx, c.reset); err != nil {
				return measured{}, err
			}
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		start := time.Now()
		first, err := drain(ctx, s, c.sql)
		took := time.Since(start)
		if err != nil {
			return measured{}, err
		}
		runtime.ReadMemStats(&after)
		if c.check != nil {
			if err := c.check(first); err != nil {
				return measured{}, err
			}
		}
		if i >= 0 {
			times = append(times, float64(took.Nanoseconds())/1e6)
			alloc = after.TotalAlloc - before.TotalAlloc
		}
	}
	slices.Sort(times)
	m := measured{Name: c.name, SQL: c.sql, MedianMS: times[len(times)/2], MinMS: times[0], MaxMS: times[len(times)-1], Rows: c.rows, AllocMB: float64(alloc) / 1e6}
	m.RowsPerSec = float64(c.rows) / m.MedianMS * 1e3
	if c.file != "" {
		info, err := os.Stat(c.file)
		if err != nil {
			return m, err
		}
		m.MBPerSec = float64(info.Size()) / m.MedianMS / 1e3
	}
	return m, nil
}

// drain runs a statement to its end and gives its first row.
func drain(ctx context.Context, s *gsql.Session, sql string) (first []any, err error) {
	rows, err := s.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for {
		b, err := rows.NextBatch()
		if err != nil || b == nil {
			return first, err
		}
		if first == nil {
			for _, c := range b.Cols {
				first = append(first, gsql.Value(c, 0))
			}
		}
	}
}
