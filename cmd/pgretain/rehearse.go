package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/install"
	"pgretain/internal/lists"
	"pgretain/internal/pgparse"
	"pgretain/internal/rehearsal"
	"pgretain/internal/sandbox"
	"pgretain/policy"
)

// codeSnapshotDiffers: what was linted is not what the schema file makes.
var codeSnapshotDiffers = diag.Register("L053", "the catalog snapshot is not that of the schema file")

// rehearse installs everything in a throw-away database: the migrations of the directory and the step
// that is still missing there, on the tables of a schema file.
func (c *console) rehearse(ctx context.Context, found *linted) error {
	project := found.project
	schema, err := readSchema(c.Schema)
	if err != nil {
		return err
	}
	for _, p := range project.file.Policies { // takes roles for granted as well
		schema.roles = append(schema.roles, lists.Map(p.Grants(), policy.Name.String)...)
	}
	r := rehearsed{flags: &c.flags, project: project}
	list, report, err := rehearsal.Run(ctx, rehearsal.Script{
		File:    project.file,
		Roles:   schema.roles,
		Cron:    schema.cron,
		Load:    schema.load,
		Inspect: project.inspect,
		Compile: r.compile,
		Did: func(act, what string, took time.Duration) {
			if c.Format == "text" {
				c.printf("%-8s  %s, %s\n", act, what, took.Round(time.Millisecond))
			}
		},
	})
	before := len(found.findings)
	found.take(append(list, r.found...).Unique())
	if found.report = report; err == nil {
		found.take(found.useless())
	}
	c.showFound(found, found.findings[before:])
	return sandboxError(err)
}

// rehearsed is what is installed in a rehearsal.
type rehearsed struct {
	*flags
	project *project
	found   diag.List
}

// compile makes of the project what is installed on the tables at hand.
func (r *rehearsed) compile(ctx context.Context, conn *pgx.Conn, live *catalog.Snapshot) (parts rehearsal.Parts, err error) {
	tables, jobs := directory{r.Migrations, false}, directory{r.cronDirectory(), true}
	history, err := r.playable(tables)
	if err != nil {
		return parts, err
	}
	if parts.Wanted, err = r.project.compile(live, history); err != nil {
		return parts, err
	}
	if err := r.compareSnapshot(parts.Wanted, history); err != nil {
		return parts, err
	}
	if err := r.project.plan(ctx, conn, live); err != nil {
		return parts, err
	}
	tableObjects, jobObjects := generator.SplitCron(parts.Wanted, r.project.file.Install)
	parts.Migrations, err = r.write(tables, history, tableObjects)
	if err != nil || !r.project.file.Install.CronElsewhere() {
		return parts, err
	}
	if history, err = r.playable(jobs); err != nil {
		return parts, err
	}
	parts.Jobs, err = r.write(jobs, history, jobObjects)
	return parts, err
}

// playable is the history of a directory where it can be applied to a database that has only the application's
// schema: by our own migrator, and without files of the user's own, which that schema contains already.
// Otherwise it is an empty one.
func (r *rehearsed) playable(d directory) (*generator.History, error) {
	history, err := d.history()
	if err != nil {
		return nil, err
	}
	names, _ := fs.Glob(os.DirFS(d.path), "*.sql") // the pattern is well formed
	if history.Format() == generator.Goose && len(names) == len(history.Files()) {
		return history, nil
	}
	return generator.ReadFormat(fstest.MapFS{}, generator.Goose)
}

// compareSnapshot compiles once more, with the snapshot that lint and generate read.
func (r *rehearsed) compareSnapshot(wanted []generator.Object, history *generator.History) error {
	snapshot, err := readCatalog(r.catalogFile())
	if err != nil || snapshot == nil {
		return err
	}
	objects, list := generator.Compile(r.project.file, snapshot, history)
	if !list.HasErrors() && len(generator.Changes(wanted, objects)) == 0 {
		return nil
	}
	r.found.Add(diag.Diagnostic{Position: diag.Position{File: r.catalogFile(), Line: 1, Column: 1}, Code: codeSnapshotDiffers,
		Message: "the schema file makes other tables than this snapshot says, and other SQL comes of it",
		Hint:    `Write it again with "pgretain snapshot", and then "pgretain generate".`})
	return nil
}

// write has the files of a directory and of its next step.
func (r *rehearsed) write(from directory, history *generator.History, wanted []generator.Object) (fs.FS, error) {
	files, err := r.project.next(history, wanted, from.cron, numbering{now: time.Now})
	if err != nil {
		return nil, err
	}
	all := fstest.MapFS{}
	for _, f := range files {
		all[f.Name] = &fstest.MapFile{Data: []byte(f.Content())}
	}
	for _, m := range history.Files() {
		text, err := readFile("migration", filepath.Join(from.path, m.Name), "")
		if err != nil {
			return nil, err
		}
		all[m.Name] = &fstest.MapFile{Data: text}
	}
	return all, nil
}

// sandbox starts a throw-away server and stops it when ctx ends.
func (c *console) sandbox(ctx context.Context, _ []string) error {
	return withSandbox(ctx, sandbox.Options{Cron: c.Cron}, func(server *sandbox.Server, conn *pgx.Conn) error {
		if err := loadExample(ctx, conn, c.Example); err != nil {
			return err
		}
		closeConn(conn)
		c.printf("%s\n", server.URL("", ""))
		c.notef("\npsql '%s'\n\nCtrl-C stops the server and removes it.\n", server.URL("", ""))
		<-ctx.Done()
		return server.Stop()
	})
}

// withSandbox calls do with a throw-away server and a connection to it.
func withSandbox(ctx context.Context, options sandbox.Options, do func(*sandbox.Server, *pgx.Conn) error) error {
	server, err := sandbox.Start(ctx, options)
	if err != nil {
		return sandboxError(err)
	}
	defer func() { _ = server.Stop() }() // it stops with the process at the latest
	return server.With(ctx, "", "", func(conn *pgx.Conn) error { return do(server, conn) })
}

// sandboxError shows what is missing on the machine, with the hint of how to get it.
func sandboxError(err error) error {
	if missing, ok := errors.AsType[*sandbox.MissingError](err); ok {
		return &install.CheckError{Message: missing.What, Hint: missing.Hint}
	}
	return err
}

// loadExample runs the files of an example, schema before data.
func loadExample(ctx context.Context, conn *pgx.Conn, dir string) error {
	if dir == "" {
		return nil
	}
	for _, name := range []string{"schema.sql", "data.sql"} {
		path := filepath.Join(dir, name)
		if name == "data.sql" && missing(path) {
			continue
		}
		text, err := readFile("file of the example", path, "Name another directory with --example.")
		if err == nil {
			err = load(ctx, conn, path, string(text))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// schemaFile makes the application's tables.
type schemaFile struct {
	path, text string
	roles      []string // that it takes for granted
	cron       bool     // it has extension pg_cron
}

func readSchema(path string) (schemaFile, error) {
	text, err := readFile("schema file", path, "Name another file with --schema.")
	if err != nil {
		return schemaFile{}, err
	}
	roles, extensions, _ := pgparse.Needs(withoutMeta(string(text))) // what cannot be parsed is refused when it is loaded
	return schemaFile{path, string(text), roles, slices.Contains(extensions, "pg_cron")}, nil
}

func (f schemaFile) load(ctx context.Context, conn *pgx.Conn) error {
	return load(ctx, conn, f.path, f.text)
}

// load runs a file of SQL; an error names the place in it.
func load(ctx context.Context, conn *pgx.Conn, path, text string) error {
	_, err := conn.PgConn().Exec(ctx, withoutMeta(text)).ReadAll()
	if server, ok := errors.AsType[*pgconn.PgError](err); ok {
		return install.Refused(path, text, server)
	}
	return err
}

// pgDumpMeta are the two commands for psql that pg_dump writes into every script.
var pgDumpMeta = regexp.MustCompile(`(?m)^\\(?:un)?restrict .*$`)

// withoutMeta leaves their lines empty, so that all others keep their numbers.
func withoutMeta(text string) string {
	return pgDumpMeta.ReplaceAllStringFunc(text, func(line string) string { return strings.Repeat(" ", len(line)) })
}
