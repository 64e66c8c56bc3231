package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/install"
	"pgretain/internal/quote"
	"pgretain/policy"
)

func (c *console) uninstallCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "uninstall",
		Short: "Remove everything that migrations installed",
		Long: `Lists what it removes, asks, and removes it: jobs, indexes, columns of "ensure", privileges of the
worker, and the schema with the run log. It finds the objects in the database, whatever its state is,
and needs no migrations. If schema cron is in another database, it removes the jobs there first. The
tables of the application keep their present rows. Migrations of your own stay applied, and then the
version table and the schema stay. Run it as the role that migrates. If another tool applies the
migrations, "pgretain generate --uninstall" writes a step that does the same.

If holds are in force, the command refuses to drop them. --export writes the holds and the run log to
a new file first.

Exit codes:
  0  done
  1  the policy has errors
  2  nothing was done, or a migration failed; then run it again`,
		Example: `  pgretain uninstall --export retention-log.jsonl`,
		RunE:    c.inDatabases(&f, (*console).uninstall),
	}
	f.addDirectories(command)
	f.addFormat(command, "`text` or json", "text", "json")
	f.addExport(command)
	command.Flags().BoolVar(&f.Yes, "yes", false, "do not ask")
	return command
}

// belongings lists what an uninstall removes: numbers of rows in the runtime's tables, and names of
// objects.
type belongings struct {
	Database string   `json:"database"`
	Schema   string   `json:"schema"`
	Runs     int      `json:"runs"`
	Holds    int      `json:"holds_in_force"`
	Events   int      `json:"events"`
	Policies []string `json:"policies"`
	Each     []string `json:"policies_for_each_schema"`
	Jobs     []string `json:"jobs"`
	Indexes  []string `json:"indexes"`
	Columns  []string `json:"columns"`
	Rights   []string `json:"rights"`
}

// uninstall lists what it will remove, asks, and removes it. It begins with the jobs if they are in
// another database.
func (c *console) uninstall(ctx context.Context, _ []string) error {
	project, err := readProject(c.Policy)
	if err != nil {
		return err
	}
	places := []destination{c.tables(project)}
	files, _ := filepath.Glob(filepath.Join(c.cronDirectory(), "*.sql")) // the pattern is valid
	if project.file.Install.CronElsewhere() || len(files) > 0 {
		url, err := c.cronDatabase(project.file.Install)
		if err != nil {
			return err
		}
		jobs := destination{directory{c.cronDirectory(), true}, project, url, c.DatabaseURL}
		places = []destination{jobs, places[0]}
	}
	found, err := c.belongings(ctx, project.file.Install)
	if len(places) > 1 {
		found.Jobs = append(found.Jobs, places[0].options().Install.CronJobPrefix()+"*")
	}
	if err == nil && found.Holds > 0 && c.Export == "" {
		err = refuse("holds in force", found.Holds)
	}
	if err == nil && !c.JSON {
		c.aligned(say("uninstall", found))
	}
	if err == nil && !c.Yes {
		err = c.agree(ctx, "Remove all of this from database "+quoted(found.Database)+"?")
	}
	for _, at := range places {
		if err == nil {
			options := at.options()
			options.Warn = func(d diag.Diagnostic) { c.show(diag.List{d}, nil) }
			options.Removal = generator.Removal(options.Install)
			if !at.cron {
				options.Export = c.Export
			}
			err = install.Uninstall(ctx, at.url, os.DirFS(at.Path), options)
		}
	}
	switch {
	case err != nil:
		return err
	case !c.JSON:
		c.printf("removed from database %s\n", quoted(found.Database))
	}
	left, err := c.rolesLeft(ctx, project.file.Install)
	switch {
	case c.JSON && err == nil:
		return c.document("removed", found, "roles_left", left)
	case c.JSON: // everything was removed all the same
		return errors.Join(c.document("removed", found), err)
	case err == nil && left != nil:
		c.printf("%s", say("roles left", left))
	}
	return err
}

// rolesLeft has what a superuser needs to remove the roles of an install.
type rolesLeft struct {
	Database string   `json:"database,omitempty"`        // "" if it is not known
	Roles    string   `json:"-"`                         // the roles, as a list in SQL
	Migrator string   `json:"-"`                         // role that gets what they own, in SQL
	Others   []string `json:"other_databases,omitempty"` // where the roles own something or have privileges
}

// Statements returns the statements that remove the roles.
func (r rolesLeft) Statements() []string { return strings.Split(say("role statements", r), "\n") }

func (r rolesLeft) MarshalJSON() ([]byte, error) {
	type plain rolesLeft
	return json.Marshal(struct {
		plain
		Statements []string `json:"statements"`
	}{plain(r), r.Statements()})
}

// rolesLeft returns the roles that an uninstall has left, or nil if there are none.
func (c *console) rolesLeft(ctx context.Context, in policy.Install) (*rolesLeft, error) {
	if in.Roles.None {
		return nil, nil
	}
	var left rolesLeft
	err := connected(ctx, c.DatabaseURL, func(conn *pgx.Conn) error {
		s := &session{conn: conn, install: in}
		var standby, installed bool
		err := s.row(ctx, "facts", in.Schema).Scan(&standby, &left.Database, &left.Migrator, &installed)
		if err == nil {
			err = s.row(ctx, "roles_left", in.Roles.All()).Scan(&left.Roles, &left.Others)
		}
		left.Migrator = quote.Ident(left.Migrator)
		return s.explain(ctx, err)
	})
	if err != nil || left.Roles == "" {
		return nil, err
	}
	return &left, nil
}

// belongings reads what an uninstall will remove.
func (c *console) belongings(ctx context.Context, in policy.Install) (found belongings, err error) {
	found.Schema = in.Schema
	err = connected(ctx, c.DatabaseURL, func(conn *pgx.Conn) error {
		s := &session{conn: conn, install: in}
		var standby, installed bool
		err := s.row(ctx, "facts", found.Schema).Scan(&standby, &found.Database, &s.user, &installed)
		if err == nil {
			err = s.row(ctx, "remains", found.Schema, in.Roles.Worker).
				Scan(&found.Indexes, &found.Columns, &found.Rights)
		}
		if err == nil && installed {
			err = s.row(ctx, "uninstall").
				Scan(&found.Runs, &found.Holds, &found.Events, &found.Policies, &found.Each, &found.Jobs)
		}
		return s.explain(ctx, err)
	})
	return found, err
}
