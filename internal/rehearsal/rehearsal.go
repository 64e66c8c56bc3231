// Package rehearsal installs a policy file in a throw-away database and proves there what no file
// alone can prove: that the migrations go up, down without a trace and up again, that PostgreSQL finds
// no fault in any routine, that every policy runs, and that the verifier finds nothing afterwards.
package rehearsal

import (
	"context"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/policy"
	"pgretain/verifier"
)

// Script is what is to be rehearsed.
type Script struct {
	File *policy.File
	// Roles are those that the schema and the policy file take for granted; all of them are made here.
	Roles []string
	// Load makes the application's schema, as a superuser.
	Load func(context.Context, *pgx.Conn) error
	// Inspect reads the tables that the policy file names.
	Inspect func(context.Context, *pgx.Conn) (*catalog.Snapshot, error)
	// Compile is called with what Inspect found after Load.
	Compile func(context.Context, *pgx.Conn, *catalog.Snapshot) (Parts, error)
	// Did, when given, is called after each act.
	Did func(act, what string, took time.Duration)
}

// Parts are what a policy file means for the tables at hand. Jobs are migrations for the database where
// schema cron lives, nil where that is the same one.
type Parts struct {
	Wanted     []generator.Object
	Migrations fs.FS
	Jobs       fs.FS
}

// Run rehearses on a server of its own, which is gone afterwards. The list has what was found,
// at the place in the policy file that it is about; the report is the verifier's, nil where it did not
// come so far. An error, beside what was found until then, means that the rehearsal could not take place: a *sandbox.MissingError where
// something is not installed, otherwise that of Load or Compile, or of a migration (see package install).
func Run(ctx context.Context, script Script) (diag.List, *verifier.Report, error) {
	s := &stage{Script: script}
	if err := s.open(ctx); err != nil {
		return nil, nil, err
	}
	defer s.close()
	err := s.play(ctx)
	return s.found.Unique(), s.report, err
}

// act is one step of a rehearsal; it says what it did.
type act struct {
	name string
	do   func(context.Context) (string, error)
}

func (s *stage) play(ctx context.Context) error {
	acts := []act{
		{"load", s.load}, {"up", s.up}, {"check", s.checkRoutines}, {"down", s.down}, {"up again", s.up}, {"run", s.runPolicies}, {"verify", s.verify},
	}
	for _, a := range acts {
		start := time.Now()
		what, err := a.do(ctx)
		if err != nil {
			return err
		}
		if s.Did != nil {
			s.Did(a.name, what, time.Since(start))
		}
	}
	return nil
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
