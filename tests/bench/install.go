package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/quote"
)

//go:embed policy.yaml
var policies string

// migrator is the role that owns the tables and migrates. It is not a superuser.
const migrator = "bench_migrator"

// project is a directory with a policy file, and the database to which it applies.
type project struct {
	*session
	dir, database string
}

// build compiles pgretain into the directory of the session.
func (s *session) build(ctx context.Context) (err error) {
	if s.dir, err = os.MkdirTemp("", "pgretain-bench-"); err != nil {
		return err
	}
	out, err := exec.CommandContext(ctx, "go", "build", "-o", filepath.Join(s.dir, "pgretain"),
		"pgretain/cmd/pgretain").CombinedOutput()
	if err != nil {
		return fmt.Errorf("building pgretain: %w\n%s", err, out)
	}
	return nil
}

// install creates the database with the measured policies.
func (s *session) install(ctx context.Context) error {
	if _, err := s.admin.Exec(ctx, "CREATE ROLE "+quote.Ident(migrator)+" LOGIN"); err != nil {
		return err
	}
	p, err := s.project(ctx, installed, policies, query("schema"), query("procedures"))
	if err != nil {
		return err
	}
	if _, _, err := p.command(ctx, "generate"); err != nil {
		return err
	}
	return p.migrate(ctx)
}

// project creates a directory with the policy file, and the database with the roles and tables. It
// also writes the catalog snapshot.
func (s *session) project(ctx context.Context, database, policies string, scripts ...string) (*project, error) {
	p := &project{s, filepath.Join(s.dir, database), database}
	if err := os.Mkdir(p.dir, 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(p.dir, "retention.yaml"), []byte(policies), 0o644); err != nil {
		return nil, err
	}
	if _, err := s.admin.Exec(ctx, "CREATE DATABASE "+quote.Ident(database)); err != nil {
		return nil, err
	}
	bootstrap, _, err := p.command(ctx, "bootstrap", "--database", database, "--migrator", migrator)
	if err != nil {
		return nil, err
	}
	conn, err := pgx.Connect(ctx, p.url(""))
	if err != nil {
		return nil, err
	}
	for _, script := range append([]string{bootstrap}, scripts...) {
		if err == nil {
			_, err = conn.Exec(ctx, script)
		}
	}
	if err = errors.Join(err, conn.Close(ctx)); err == nil {
		_, _, err = p.command(ctx, "snapshot", "--database-url", p.url(migrator))
	}
	return p, err
}

func (p *project) url(role string) string { return p.server.URL(p.database, role) }

func (p *project) migrate(ctx context.Context) error {
	_, _, err := p.command(ctx, "migrate", "up", "--database-url", p.url(migrator))
	return err
}

// command runs pgretain and returns its output and duration. An exit code other than 0 is an error.
func (p *project) command(ctx context.Context, args ...string) (string, time.Duration, error) {
	c := exec.CommandContext(ctx, filepath.Join(p.session.dir, "pgretain"), args...)
	c.Dir = p.dir
	var out, errOut bytes.Buffer
	c.Stdout, c.Stderr = &out, &errOut
	began := time.Now()
	if err := c.Run(); err != nil {
		return "", 0, fmt.Errorf("pgretain %s: %w\n%.2000s%.2000s", args[0], err, &out, &errOut)
	}
	return out.String(), time.Since(began), nil
}
