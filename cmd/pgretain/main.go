// Command pgretain turns a retention policy into SQL that deletes rows inside PostgreSQL, and
// proves that the database still does what the policy says.
package main

//go:generate go test . -run TestExamples$ -update

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // a short life: with a thousand policies an eighth of it went into collecting garbage
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first Ctrl-C asks, the second one kills.
	context.AfterFunc(ctx, stop)
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
