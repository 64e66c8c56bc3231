package main

import (
	"context"
	"os"
	"path/filepath"

	"pgretain/internal/quote"
)

// manyViewer verifies, and writes the report.
const manyViewer = "bench_viewer"

// many measures the command line with many policies: reading the file, generating everything, verifying an
// installation without counting rows, and the report on it, which verifies and counts.
func (s *session) many(ctx context.Context) ([]result, error) {
	var tables string
	if err := s.admin.QueryRow(ctx, query("many_tables"), tablesFor(s.policies)).Scan(&tables); err != nil {
		return nil, err
	}
	p, err := s.project(ctx, "many", manyPolicies(s.policies), "GRANT CREATE ON SCHEMA public TO "+quote.Ident(migrator), tables,
		"CREATE ROLE "+quote.Ident(manyViewer)+" LOGIN IN ROLE retention_viewer", "ANALYZE")
	if err != nil {
		return nil, err
	}
	var results []result
	for _, step := range [][]string{{"lint"}, {"generate"}, {"verify", "--counts=false", "--database-url", p.url(manyViewer)},
		{"report", "--database-url", p.url(manyViewer)}} {
		r, err := p.measure(ctx, step)
		if err != nil {
			return nil, err
		}
		results = append(results, r)
		if r.Way == "generate" {
			s.say("installing %d policies", s.policies)
			if err := p.migrate(ctx); err != nil {
				return nil, err
			}
		}
	}
	return results, nil
}

// measure runs the program once a round and once before; "generate" begins with an empty directory each time.
func (p *project) measure(ctx context.Context, args []string) (result, error) {
	r := result{Bench: "many", Way: args[0]}
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
		if round > 0 { // the first reads files that nobody had read
			samples = append(samples, sample{took: took})
			p.say("round %d of %d: many %s, %.2f s", round, p.rounds, r.Way, took.Seconds())
		}
	}
	r.Milliseconds, r.spread = milliseconds(samples)
	return r, nil
}
