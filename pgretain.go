// Package pgretain checks retention policies for PostgreSQL, and writes the migrations that install
// them. It does what the commands lint, explain, generate and verify do:
//
//	Parse    the bytes of a policy file      -> Policy
//	Compile  Policy + Catalog                -> Program, or Diagnostics
//	Program  the program in words, and the migrations that install it
//	Verify   Program + a live database       -> Report
//
// Only Verify connects to a database. A service can check its policy in its own tests, and can
// apply the migrations with a tool that takes an [fs.FS], for example goose.
package pgretain

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/explain"
	"pgretain/internal/lint"
	"pgretain/policy"
)

// Policy is the content of a policy file. The zero value is not valid; Parse returns a Policy.
type Policy struct {
	file     *policy.File
	warnings diag.List
}

// Parse reads a policy file. The name appears in diagnostics. If the file has errors, the error is
// of type [Diagnostics] and has all of them. Parse reads no other file.
func Parse(name string, source []byte) (*Policy, error) {
	file, list := policy.Parse(name, source)
	if list.HasErrors() {
		return nil, diagnostics(list)
	}
	return &Policy{file, list}, nil
}

// Names returns the names of the policies, then those of the reports, in the order of the file.
func (p *Policy) Names() []string { return p.file.Runnable() }

// Catalog has the definitions of tables: the tables that a policy file names, and the tables that
// its deletes reach. "pgretain snapshot" writes it.
type Catalog struct{ snapshot *catalog.Snapshot }

// ReadCatalog reads the catalog snapshot that "pgretain snapshot" writes, by default into the file
// retention.catalog.json.
func ReadCatalog(source []byte) (*Catalog, error) {
	snapshot, err := catalog.Read(string(source))
	if err != nil {
		return nil, fmt.Errorf("reading the catalog snapshot: %w", err)
	}
	return &Catalog{snapshot}, nil
}

// Program is a policy that was compiled for the tables of a catalog.
type Program struct {
	policy   *Policy
	catalog  *Catalog
	objects  []generator.Object
	warnings diag.List
}

// Compile checks a policy against the tables, and compiles it to SQL. If there are errors, the
// error is of type [Diagnostics] and has all of them.
func Compile(p *Policy, c *Catalog) (*Program, error) {
	return compile(p, c, nil)
}

func compile(p *Policy, c *Catalog, history *generator.History) (*Program, error) {
	list := slices.Concat(p.warnings, lint.Check(p.file, c.snapshot), lint.Unscheduled(p.file))
	objects, found := generator.Compile(p.file, c.snapshot, history)
	list = append(list, found...)
	if !list.HasErrors() {
		list = append(list, generator.Notes(p.file, c.snapshot)...)
	}
	if list = list.Unique(); list.HasErrors() {
		return nil, diagnostics(list)
	}
	return &Program{p, c, objects, list}, nil
}

// Warnings returns what "pgretain lint" warns of, sorted by position. It does not apply the
// suppressions of the policy file.
func (p *Program) Warnings() Diagnostics { return diagnostics(p.warnings) }

// Explain describes a policy or a report in words, as "pgretain explain" does. It returns "" for an
// unknown name.
func (p *Program) Explain(name string) string {
	for _, kind := range []generator.Kind{generator.KindPolicy, generator.KindEach} {
		for _, o := range p.objects {
			if o.Kind == kind && o.Name == name {
				return explain.Text("", o.Words)
			}
		}
	}
	return ""
}

// Migration is a file of a migration.
type Migration struct {
	Name string // such as "00001_pgretain_runtime.sql"
	Text string
}

// Migrations returns the files that bring a database from the migrations of dir to this program, in
// the order in which they must be applied. They are for the tool whose format the files of dir
// have, or for goose if dir has none. It returns no file if dir installs this program already.
//
// If install.cron_database of the policy file is another database, the jobs are not among the
// files. JobMigrations returns them.
func (p *Program) Migrations(dir fs.FS) ([]Migration, error) { return p.next(dir, false) }

// JobMigrations returns the files for the database with pg_cron, if that is another database than
// the one with the tables. Its migrations are in a directory of their own.
func (p *Program) JobMigrations(dir fs.FS) ([]Migration, error) { return p.next(dir, true) }

func (p *Program) next(dir fs.FS, jobs bool) ([]Migration, error) {
	history, err := read(dir)
	if err != nil {
		return nil, err
	}
	in := p.policy.file.Install
	options := generator.NextOptions{Roles: in.Roles, SearchPath: in.Path(), Trust: in.Trust, Schema: in.Schema,
		Version: func(last int64) int64 { return generator.NextNumber(last, time.Now()) }}
	program := p
	if jobs {
		options.Cron, options.Schema = true, "" // jobs need no schema
	} else if program, err = compile(p.policy, p.catalog, history); err != nil {
		return nil, err
	}
	here, elsewhere := generator.SplitCron(program.objects, in)
	if jobs {
		here = elsewhere
	}
	files, err := generator.Next(history, here, options)
	if err != nil {
		return nil, fmt.Errorf("writing the next migration: %w", err)
	}
	var migrations []Migration
	for _, f := range files {
		migrations = append(migrations, Migration{f.Name, f.Text})
	}
	return migrations, nil
}

// read returns the history of a directory of migrations.
func read(dir fs.FS) (*generator.History, error) {
	history, err := generator.Read(dir)
	if wrong, ok := errors.AsType[*generator.HistoryError](err); ok {
		return nil, diagnostics(diag.List{wrong.Diagnostic()})
	}
	return history, err
}
