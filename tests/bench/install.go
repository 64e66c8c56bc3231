package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"testing/fstest"

	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/inspect"
	"pgretain/internal/install"
	"pgretain/internal/quote"
	"pgretain/policy"
)

//go:embed policy.yaml
var policies []byte

// migrator owns the tables and migrates; it is no superuser.
const migrator = "bench_migrator"

// install goes the whole path: bootstrap, tables, catalog snapshot, migrations.
func (s *session) install(ctx context.Context) error {
	file, list := policy.Parse("policy.yaml", policies)
	if file == nil {
		return refused(list)
	}
	conn, err := s.prepare(ctx, file.Install)
	if err != nil {
		return fmt.Errorf("preparing the database: %w", err)
	}
	defer conn.Close(ctx)
	snapshot, _, err := inspect.Snapshot(ctx, conn, inspect.Request{
		Tables: []string{"public.message", "public.queue", "public.task", "public.letter", "public.page", "public.old_letter", "public.old_message", "public.daily", "public.open_case", "public.claimed"}, SearchPath: file.Install.SearchPath, Runtime: file.Install.Schema,
	})
	if err != nil {
		return err
	}
	objects, list := generator.Compile(file, snapshot, nil)
	if list.HasErrors() {
		return refused(list)
	}
	dir, err := migrations(file, objects)
	if err != nil {
		return err
	}
	_, err = install.Up(ctx, s.server.URL(installed, migrator), dir, install.Options{Install: file.Install, Path: "migrations"})
	return err
}

// prepare makes a database: the DBA's part, and the application's tables.
func (s *session) prepare(ctx context.Context, in policy.Install) (*pgx.Conn, error) {
	for _, statement := range []string{
		"CREATE ROLE " + quote.Ident(migrator) + " LOGIN", "CREATE DATABASE " + quote.Ident(installed),
	} {
		if _, err := s.admin.Exec(ctx, statement); err != nil {
			return nil, err
		}
	}
	bootstrap, err := install.Bootstrap(in, installed, migrator)
	if err != nil {
		return nil, err
	}
	conn, err := pgx.Connect(ctx, s.server.URL(installed, ""))
	if err != nil {
		return nil, err
	}
	for _, script := range []string{bootstrap, query("schema"), query("procedures")} {
		if _, err := conn.Exec(ctx, script); err != nil {
			return nil, errors.Join(err, conn.Close(ctx))
		}
	}
	return conn, nil
}

func migrations(file *policy.File, objects []generator.Object) (fstest.MapFS, error) {
	path := append([]string{"pg_catalog"}, file.Install.SearchPath...)
	files, err := generator.Next(&generator.History{}, objects, generator.NextOptions{
		Roles: file.Install.Roles, SearchPath: append(path, "pg_temp"),
	})
	dir := fstest.MapFS{}
	for _, f := range files {
		dir[f.Name] = &fstest.MapFile{Data: []byte(f.Content())}
	}
	return dir, err
}

func refused(list diag.List) error {
	_ = list.Render(os.Stderr, map[string][]byte{"policy.yaml": policies}, false) // the error is enough
	return errors.New("the policy is refused")
}
