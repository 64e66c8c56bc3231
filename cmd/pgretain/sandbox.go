package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/install"
	"pgretain/internal/pgparse"
	"pgretain/internal/rehearsal"
	"pgretain/internal/sandbox"
	"pgretain/policy"
)

const sandboxHelp = `Starts a throw-away PostgreSQL with pg_cron in a temporary directory, prints how to reach it, and
removes it on Ctrl-C. It listens on a unix socket only and trusts everybody who can reach that.
Works as root too (the server then runs as postgres or nobody).

The server programs are looked for in PGRETAIN_PG_BINDIR, with pg_config, in Debian's directories
and on PATH.

Exit codes:
  0  stopped by Ctrl-C or SIGTERM
  2  could not start, or could not load the example`

func sandboxCommand(c *console) *cobra.Command {
	var example string
	cron := true
	command := &cobra.Command{
		Use:     "sandbox",
		Short:   "Start a throw-away PostgreSQL with pg_cron",
		Long:    sandboxHelp,
		Example: "  pgretain sandbox\n  pgretain sandbox --example examples/bot-queue   # with the example's tables and rows",
		Args:    noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			return c.sandbox(command.Context(), example, cron)
		},
	}
	command.Flags().StringVar(&example, "example", "", "load schema.sql and data.sql of this `directory`")
	command.Flags().BoolVar(&cron, "cron", cron, "load pg_cron")
	return command
}

func (c *console) sandbox(ctx context.Context, example string, cron bool) error {
	server, err := sandbox.Start(ctx, sandbox.Options{Cron: cron})
	if err != nil {
		return sandboxError(err)
	}
	defer func() { _ = server.Stop() }() // it stops with the process at the latest
	if err := loadExample(ctx, server, example); err != nil {
		return err
	}
	c.printf("%s\n", server.URL("", ""))
	c.notef("\npsql '%s'\n\nCtrl-C stops the server and removes it.\n", server.URL("", ""))
	<-ctx.Done()
	return server.Stop()
}

// loadExample runs the files of an example, schema before data.
func loadExample(ctx context.Context, server *sandbox.Server, dir string) error {
	if dir == "" {
		return nil
	}
	conn, err := pgx.Connect(ctx, server.URL("", ""))
	if err != nil {
		return fmt.Errorf("connecting to the sandbox: %w", err)
	}
	defer closeConn(conn)
	for _, name := range []string{"schema.sql", "data.sql"} {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) && name == "data.sql" {
			continue
		}
		if err != nil {
			return unreadable("file of the example", path, err, "Name another directory with --example.")
		}
		if err := load(ctx, conn, path, string(text)); err != nil {
			return err
		}
	}
	return nil
}

// load runs a file of SQL; an error names the place in it.
func load(ctx context.Context, conn *pgx.Conn, path, text string) error {
	_, err := conn.PgConn().Exec(ctx, withoutMeta(text)).ReadAll()
	var server *pgconn.PgError
	if !errors.As(err, &server) {
		return err
	}
	return install.Refused(path, text, server)
}

// pgDumpMeta are the two commands for psql that pg_dump writes into every script.
var pgDumpMeta = regexp.MustCompile(`(?m)^\\(?:un)?restrict .*$`)

// withoutMeta leaves their lines empty, so that all others keep their numbers.
func withoutMeta(text string) string {
	return pgDumpMeta.ReplaceAllStringFunc(text, func(line string) string { return strings.Repeat(" ", len(line)) })
}

// sandboxError shows what is missing on the machine, with the hint of how to get it.
func sandboxError(err error) error {
	var missing *sandbox.MissingError
	if errors.As(err, &missing) {
		return &install.CheckError{Message: missing.What, Hint: missing.Hint}
	}
	return err
}

// codeSnapshotDiffers: what was linted is not what the schema file makes.
var codeSnapshotDiffers = diag.Register("L053", "the catalog snapshot is not that of the schema file")

// rehearse installs everything in a throw-away database: the migrations of the directory and the step
// that is still missing there, on the tables of a schema file.
func (c *console) rehearse(ctx context.Context, found *linted) error {
	project, schema := found.project, found.schema
	source, err := os.ReadFile(schema)
	if err != nil {
		return unreadable("schema file", schema, err, "Name another file with --schema.")
	}
	r := rehearsed{paths: found.paths, project: project}
	list, report, err := rehearsal.Run(ctx, rehearsal.Script{
		File:    project.file,
		Roles:   rolesOf(project.file, string(source)),
		Load:    func(ctx context.Context, conn *pgx.Conn) error { return load(ctx, conn, schema, string(source)) },
		Inspect: project.inspect,
		Compile: r.compile,
		Did: func(act, what string, took time.Duration) {
			if found.text() {
				c.printf("%-8s  %s, %s\n", act, what, took.Round(time.Millisecond))
			}
		},
	})
	defer r.remove()
	before := len(found.findings)
	found.take(append(list, r.found...).Unique())
	if found.report = report; err == nil {
		found.take(found.useless())
	}
	c.showFound(found, found.findings[before:])
	if err != nil {
		return sandboxError(err)
	}
	return nil
}

// rolesOf lists the roles that a schema and a policy file take for granted. What cannot be parsed is
// refused when it is loaded.
func rolesOf(file *policy.File, schema string) []string {
	list, _ := pgparse.Roles(withoutMeta(schema))
	for _, p := range file.Policies {
		for _, name := range p.Grants() {
			list = append(list, name.Text)
		}
	}
	return list
}

// rehearsed is what is installed in a rehearsal.
type rehearsed struct {
	paths
	project *project
	found   diag.List
	dir     string
}

func (r *rehearsed) remove() { _ = os.RemoveAll(r.dir) }

// compile makes of the project what is installed on the tables at hand.
func (r *rehearsed) compile(ctx context.Context, conn *pgx.Conn, live *catalog.Snapshot) (parts rehearsal.Parts, err error) {
	if r.dir, err = os.MkdirTemp("", "pgretain-"); err != nil {
		return parts, err
	}
	history, err := readTables(r.migrations)
	if err != nil {
		return parts, err
	}
	if history, err = r.playable(history, r.migrations); err != nil {
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
	return parts, r.write(&parts, history)
}

// playable is the history itself where it can be applied to a database that has only the application's
// schema: by our own migrator, and without files of the user's own, which that schema contains already.
// Otherwise it is an empty one.
func (r *rehearsed) playable(history *generator.History, dir string) (*generator.History, error) {
	names, err := fs.Glob(os.DirFS(dir), "*.sql")
	if err == nil && history.Format() == generator.Goose && len(names) == len(history.Files()) {
		return history, nil
	}
	return generator.ReadFormat(os.DirFS(filepath.Join(r.dir, "nothing")), generator.Goose)
}

// compareSnapshot compiles once more, with the snapshot that lint and generate read.
func (r *rehearsed) compareSnapshot(wanted []generator.Object, history *generator.History) error {
	snapshot, err := readCatalog(r.catalogFile())
	if err != nil || snapshot == nil {
		return err
	}
	objects, list := generator.Compile(r.project.file, snapshot, history)
	if !list.HasErrors() && fingerprint(objects) == fingerprint(wanted) {
		return nil
	}
	r.found.Add(diag.Diagnostic{Position: diag.Position{File: r.catalogFile(), Line: 1, Column: 1}, Code: codeSnapshotDiffers,
		Message: "the schema file makes other tables than this snapshot says, and other SQL comes of it",
		Hint:    `Write it again with "pgretain snapshot", and then "pgretain generate".`})
	return nil
}

// fingerprint is equal for equal objects, in whatever order.
func fingerprint(objects []generator.Object) string {
	hashes := make([]string, len(objects))
	for i, o := range objects {
		hashes[i] = string(o.Kind) + " " + o.Name + " " + o.Hash()
	}
	slices.Sort(hashes)
	return generator.Hash(hashes...)
}

// write puts the files of the directories and their next steps into a temporary one.
func (r *rehearsed) write(parts *rehearsal.Parts, history *generator.History) error {
	here, elsewhere := generator.SplitCron(parts.Wanted, r.project.file.Install)
	var err error
	if parts.Migrations, err = r.writeOne("tables", r.migrations, history, here, false); err != nil || !r.project.file.Install.CronElsewhere() {
		return err
	}
	jobs, err := readCron(r.cronDirectory())
	if err != nil {
		return err
	}
	if jobs, err = r.playable(jobs, r.cronDirectory()); err != nil {
		return err
	}
	parts.Jobs, err = r.writeOne("jobs", r.cronDirectory(), jobs, elsewhere, true)
	return err
}

func (r *rehearsed) writeOne(name, from string, history *generator.History, wanted []generator.Object, cron bool) (fs.FS, error) {
	dir := filepath.Join(r.dir, name)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	options := r.project.nextOptions()
	if cron {
		options.Cron, options.Schema = true, "" // jobs need none
	}
	options.Version = numbering{now: time.Now}.next
	files, err := generator.Next(history, wanted, options)
	if err != nil {
		return nil, r.project.explain(err)
	}
	next := outputs(files, dir)
	for _, m := range history.Files() {
		text, err := os.ReadFile(filepath.Join(from, m.Name))
		if err != nil {
			return nil, unreadable("migration", filepath.Join(from, m.Name), err, "")
		}
		next = append(next, output{filepath.Join(dir, m.Name), []string{string(text)}})
	}
	return os.DirFS(dir), writeAll(next, false)
}
