package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

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
		r, err := p.measure(ctx, "many", step)
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

// fleet measures verify with many databases, each a copy that was adopted.
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

// measure runs the program once a round and once before; "generate" begins with an empty directory each time.
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
		if round > 0 { // the first reads files that nobody had read
			samples = append(samples, sample{took: took})
			p.say("round %d of %d: %s %s, %.2f s", round, p.rounds, bench, r.Way, took.Seconds())
		}
	}
	r.Milliseconds, r.spread = milliseconds(samples)
	return r, nil
}
