package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/quote"
)

// manyViewer and eachViewer are roles that verify and write the report.
const manyViewer, eachViewer = "bench_viewer", "bench_viewer_of_each"

// many measures commands with many policies: lint, generate, plan before and after the install,
// verify without counting rows, and report. The report verifies and counts rows.
func (s *session) many(ctx context.Context) ([]result, error) {
	var tables string
	if err := s.admin.QueryRow(ctx, query("many_tables"), tablesFor(s.policies)).Scan(&tables); err != nil {
		return nil, err
	}
	p, err := s.project(ctx, "many", manyPolicies(s.policies),
		"GRANT CREATE ON SCHEMA public TO "+quote.Ident(migrator),
		tables,
		"CREATE ROLE "+quote.Ident(manyViewer)+" LOGIN IN ROLE retention_viewer",
		"ANALYZE")
	if err != nil {
		return nil, err
	}
	var results []result
	for _, step := range []struct {
		way  string
		args []string
	}{
		{"lint", nil}, {"generate", nil}, {"plan new", []string{"--database-url", p.url(migrator)}},
		{"migrate", nil}, {"plan", []string{"--database-url", p.url(migrator)}},
		{"verify", []string{"--counts=false", "--database-url", p.url(manyViewer)}},
		{"report", []string{"--database-url", p.url(manyViewer)}},
	} {
		if step.way == "migrate" {
			s.say("installing %d policies", s.policies)
			if err := p.migrate(ctx); err != nil {
				return nil, err
			}
			continue
		}
		command, _, _ := strings.Cut(step.way, " ")
		r, err := p.measure(ctx, "many", append([]string{command}, step.args...))
		if err != nil {
			return nil, err
		}
		r.Way = step.way
		results = append(results, r)
	}
	return results, nil
}

// fleet measures verify with many databases. Each is an adopted copy of one database.
func (s *session) fleet(ctx context.Context) ([]result, error) {
	p := &project{s, filepath.Join(s.dir, installed), installed}
	var file strings.Builder
	file.WriteString("version: 1\nstages:\n  - databases:\n")
	for i := range s.databases {
		member := project{s, p.dir, fmt.Sprintf("fleet_%02d", i)}
		if err := s.copyDatabase(ctx, installed, member.database); err != nil {
			return nil, err
		}
		if _, _, err := p.command(ctx, "adopt", "--reason", "bench", "--database-url", member.url("")); err != nil {
			return nil, err
		}
		fmt.Fprintf(&file, "      %s: %q\n", member.database, member.url(migrator))
	}
	path := filepath.Join(p.dir, "fleet.yaml")
	if err := os.WriteFile(path, []byte(file.String()), 0o600); err != nil {
		return nil, err
	}
	r, err := p.measure(ctx, "fleet", []string{"verify", "--fleet", path})
	return []result{r}, err
}

// eachPolicy is a policy file for the schemas of each_tables.sql.
const eachPolicy = `version: 1
install: {scheduler: none}
each: {each_tenant: {schemas: "tenant_*"}}
policies:
  messages: {table: each_tenant.message, due: {age: {column: created_at, older_than: 29 days}}, then: [delete]}
jobs:
  hourly: {schedule: "@hourly", run: [messages]}
`

// each measures a policy that exists once per schema, with many schemas. It measures the migration,
// the first run of the job, runs with nothing due, and verify. The first run creates the policy's
// functions for each schema and deletes two rows in each. Each run uses a new session.
func (s *session) each(ctx context.Context) ([]result, error) {
	var tables string
	if err := s.admin.QueryRow(ctx, query("each_tables"), s.schemas).Scan(&tables); err != nil {
		return nil, err
	}
	p, err := s.project(ctx, "each", eachPolicy,
		tables,
		"CREATE ROLE "+quote.Ident(eachViewer)+" LOGIN IN ROLE retention_viewer",
		"ANALYZE")
	if err != nil {
		return nil, err
	}
	var results []result
	timed := func(way string, rounds int, do func() error) error {
		r := result{Bench: "each", Way: way}
		var samples []sample
		for range rounds {
			began := time.Now()
			if err := do(); err != nil {
				return err
			}
			samples = append(samples, sample{took: time.Since(began)})
		}
		r.Milliseconds, r.spread = milliseconds(samples)
		results = append(results, r)
		p.say("each %s, %.2f s", way, r.Milliseconds/1000)
		return nil
	}
	job := func() error {
		conn, err := pgx.Connect(ctx, p.url("retention_runner"))
		if err == nil {
			_, err = conn.Exec(ctx, "CALL retention.run_if_due('hourly')", pgx.QueryExecModeSimpleProtocol)
			err = errors.Join(err, conn.Close(ctx))
		}
		return err
	}
	if _, _, err := p.command(ctx, "generate"); err != nil {
		return nil, err
	}
	err = errors.Join(
		timed("migrate", 1, func() error { return p.migrate(ctx) }),
		timed("first run", 1, job),
		timed("idle", s.rounds, job))
	if err != nil {
		return nil, err
	}
	r, err := p.measure(ctx, "each", []string{"verify", "--counts=false", "--database-url", p.url(eachViewer)})
	return append(results, r), err
}

// measure runs a command once without measuring it, and then once per round. For "generate" it
// removes the migrations before each run.
func (p *project) measure(ctx context.Context, bench string, args []string) (result, error) {
	r := result{Bench: bench, Way: args[0]}
	var samples []sample
	for round := range p.rounds + 1 {
		if r.Way == "generate" {
			if err := os.RemoveAll(filepath.Join(p.dir, "migrations")); err != nil {
				return r, err
			}
		}
		_, took, err := p.command(ctx, args...)
		if err != nil {
			return r, err
		}
		if round > 0 { // the run before the first round brings files into the cache
			samples = append(samples, sample{took: took})
			p.say("round %d of %d: %s %s, %.2f s", round, p.rounds, bench, r.Way, took.Seconds())
		}
	}
	r.Milliseconds, r.spread = milliseconds(samples)
	return r, nil
}
