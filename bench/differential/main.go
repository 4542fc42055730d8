// Command differential runs random statements on gsql and on a MariaDB server, and
// compares the answers.
//
//	cd bench/differential && go run . [-seed 1] [-rounds 100] [-queries 200] [-for 10m] [-keep 20] [-quotients]
//
// It starts its own server in a temporary folder, on a socket. If there is no mariadbd, it uses
// Debian's packages: root installs them with apt-get; otherwise they are downloaded and unpacked into
// the folder. Each round fills the tables anew and runs queries, then statements that change the
// tables. If answers differ, the statement and the rows are shortened and printed in a form that can
// be pasted into both engines. Known, intended differences are counted by name (known.go). The exit
// status is 1 if others were found.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	log.SetFlags(0)
	seed := flag.Uint64("seed", 1, "of the first round; the following ones count on")
	rounds := flag.Int("rounds", 1000, "sets of tables")
	queries := flag.Int("queries", 200, "queries a round")
	limit := flag.Duration("for", 10*time.Minute, "time after which no round begins")
	keep := flag.Int("keep", 20, "differences to report before it ends")
	quotients := flag.Bool("quotients", false, "divide in all rounds, not in every fourth")
	flag.Parse()
	found, err := run(&comparison{known: map[string]int{}, seen: map[string]bool{}, keep: *keep, onlyQuotients: *quotients}, *seed, *rounds, *queries, *limit)
	if err != nil {
		log.Fatal(err)
	}
	if found > 0 {
		os.Exit(1)
	}
}

// run runs the rounds and returns the number of differences reported.
func run(c *comparison, seed uint64, rounds, queries int, limit time.Duration) (int, error) {
	dir, err := os.MkdirTemp("", "gsql-differential")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	server, err := startServer(dir)
	if err != nil {
		return 0, err
	}
	defer server.stop()
	theirs, err := connect(server.socket)
	if err != nil {
		return 0, err
	}
	defer theirs.close()
	c.theirs = theirs
	end := time.Now().Add(limit)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	for i := uint64(0); i < uint64(rounds) && ctx.Err() == nil && time.Now().Before(end) && len(c.seen) < c.keep; i++ {
		if err := c.round(ctx, rand.New(rand.NewPCG(seed+i, 0)), seed+i, queries); err != nil {
			return 0, fmt.Errorf("seed %d: %w", seed+i, err)
		}
	}
	c.summary()
	return len(c.seen), nil
}
