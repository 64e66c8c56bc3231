// Bench measures the generated DELETE statements and the ways in which people delete rows by hand,
// on a throw-away server. docs/bench.md explains the results.
//
//	go run ./tests/bench [-rows 2000000] [-rounds 3] [-policies 1000] [-schemas 500]
//		[-databases 40] [-only age,cap,nothing,drop,tick,many,each,fleet] [-fsync]
//		[-out bench.json]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

// options holds the values of the command line's flags.
type options struct {
	rows      int64 // rows of the table; half of them are due
	rounds    int
	policies  int      // number of policies of bench "many"
	schemas   int      // number of schemas of bench "each"
	databases int      // number of databases of bench "fleet"
	only      []string // names of benches
	fsync     bool
	out       string // file for the results as JSON
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	o, err := parse(os.Args[1:])
	if err == nil {
		err = run(ctx, o, os.Stdout, os.Stderr)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(2)
	}
}

func parse(args []string) (options, error) {
	var o options
	var only string
	flags := flag.NewFlagSet("bench", flag.ExitOnError)
	flags.Int64Var(&o.rows, "rows", 2_000_000, "rows in the table, a multiple of 2000; half of them are due")
	flags.IntVar(&o.rounds, "rounds", 3, "how often each way is measured")
	flags.IntVar(&o.policies, "policies", 1000, "how many policies bench \"many\" has")
	flags.IntVar(&o.schemas, "schemas", 500, "how many schemas bench \"each\" has")
	flags.IntVar(&o.databases, "databases", 40, "how many databases bench \"fleet\" has")
	flags.StringVar(&only, "only", strings.Join(benchNames(), ","), "what to measure")
	flags.BoolVar(&o.fsync, "fsync", false, "wait for the disk at every commit")
	flags.StringVar(&o.out, "out", "bench.json", "where the results go as JSON")
	_ = flags.Parse(args) // exits on an error
	o.only = strings.Split(only, ",")
	for _, name := range o.only {
		if !slices.Contains(benchNames(), name) {
			return o, fmt.Errorf("there is no bench %q, only %s", name, strings.Join(benchNames(), ", "))
		}
	}
	if o.rows < 1 || o.rows%rowsPerDevice != 0 || o.rounds < 1 || o.policies < 1 || o.schemas < 1 || o.databases < 1 {
		return o, fmt.Errorf("-rows must be a multiple of %d, -rounds, -policies, -schemas and -databases at least 1",
			rowsPerDevice)
	}
	return o, nil
}

// run executes the benches. It writes the table of results to out, and the results as JSON to the
// file.
func run(ctx context.Context, o options, out, progress io.Writer) (err error) {
	s, err := start(ctx, o, progress)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	about, err := s.about(ctx)
	if err != nil {
		return err
	}
	var results []result
	for _, name := range o.only {
		some, err := s.bench(ctx, name)
		if err != nil {
			return fmt.Errorf("measuring %s: %w", name, err)
		}
		results = append(results, some...)
	}
	if err := writeJSON(o.out, results); err != nil {
		return err
	}
	return writeTable(out, about, results)
}
