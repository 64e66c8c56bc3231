package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/quote"
)

// manyDatabase has the tables; manyViewer verifies.
const manyDatabase, manyViewer = "many", "bench_viewer"

// project is a directory with a policy file, and the program to measure in it.
type project struct {
	*session
	dir, program string
}

// many measures the command line with many policies: reading the file, generating everything, and verifying an
// installation without counting rows.
func (s *session) many(ctx context.Context) (results []result, err error) {
	dir, err := os.MkdirTemp("", "pgretain-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	p := &project{s, dir, filepath.Join(dir, "pgretain")}
	if err := p.make(ctx); err != nil {
		return nil, err
	}
	for _, step := range []struct {
		way  string
		run  []string
		last []string // once, at the end
	}{
		{way: "lint", run: []string{"lint"}},
		{way: "generate", run: []string{"generate"}, last: []string{"migrate", "up", "--database-url", p.url(migrator)}},
		{way: "verify", run: []string{"verify", "--counts=false", "--database-url", p.url(manyViewer)}},
	} {
		r, err := p.measure(ctx, step.way, step.run)
		if err != nil {
			return nil, err
		}
		results = append(results, r)
		if step.last != nil {
			s.say("installing %d policies", s.policies)
			if _, err := p.command(ctx, step.last...); err != nil {
				return nil, err
			}
		}
	}
	return results, nil
}

// measure runs the program once a round and once before; "generate" begins with an empty directory each time.
func (p *project) measure(ctx context.Context, way string, args []string) (result, error) {
	r := result{Bench: "many", Way: way}
	var samples []sample
	for round := range p.rounds + 1 {
		if way == "generate" {
			if err := os.RemoveAll(filepath.Join(p.dir, "migrations")); err != nil {
				return r, err
			}
		}
		took, err := p.command(ctx, args...)
		if err != nil {
			return r, err
		}
		if round > 0 { // the first reads files that nobody had read
			samples = append(samples, sample{took: took})
			p.say("round %d of %d: many %s, %.2f s", round, p.rounds, way, took.Seconds())
		}
	}
	r.Milliseconds, r.spread = milliseconds(samples)
	return r, nil
}

// command runs the program; anything but success is an error.
func (p *project) command(ctx context.Context, args ...string) (time.Duration, error) {
	c := exec.CommandContext(ctx, p.program, args...)
	c.Dir = p.dir
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	began := time.Now()
	if err := c.Run(); err != nil {
		return 0, fmt.Errorf("pgretain %s: %w\n%s", args[0], err, out.Bytes()[:min(out.Len(), 4000)])
	}
	return time.Since(began), nil
}

func (p *project) url(role string) string { return p.server.URL(manyDatabase, role) }

// make builds the program, and makes tables, policy file and catalog snapshot.
func (p *project) make(ctx context.Context) error {
	build := exec.CommandContext(ctx, "go", "build", "-o", p.program, "pgretain/cmd/pgretain")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building pgretain: %w\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(p.dir, "retention.yaml"), []byte(manyPolicies(p.policies)), 0o644); err != nil {
		return err
	}
	if _, err := p.admin.Exec(ctx, "CREATE DATABASE "+quote.Ident(manyDatabase)); err != nil {
		return err
	}
	if err := p.prepareMany(ctx); err != nil {
		return err
	}
	_, err := p.command(ctx, "snapshot", "--database-url", p.url(migrator))
	return err
}

// prepareMany does the DBA's part.
func (p *project) prepareMany(ctx context.Context) error {
	bootstrap := exec.CommandContext(ctx, p.program, "bootstrap", "--database", manyDatabase, "--migrator", migrator)
	bootstrap.Dir = p.dir
	script, err := bootstrap.Output()
	if err != nil {
		return fmt.Errorf("pgretain bootstrap: %w", err)
	}
	conn, err := pgx.Connect(ctx, p.server.URL(manyDatabase, ""))
	if err != nil {
		return err
	}
	var tables string
	err = conn.QueryRow(ctx, query("many_tables"), tablesFor(p.policies)).Scan(&tables)
	for _, statement := range []string{
		string(script), "GRANT CREATE ON SCHEMA public TO " + quote.Ident(migrator), tables,
		"CREATE ROLE " + quote.Ident(manyViewer) + " LOGIN IN ROLE retention_viewer", "ANALYZE",
	} {
		if err == nil {
			_, err = conn.Exec(ctx, statement)
		}
	}
	return errors.Join(err, conn.Close(ctx))
}
