package main

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/install"
)

// belongings are what goes and what stays in an uninstall: rows that go with the runtime, and the names of objects by kind.
type belongings struct {
	Database, Schema    string
	Runs, Holds, Events int
	Names               map[string]string
}

// uninstall says what it takes away, asks, and undoes every migration of ours: first the jobs in the other database
// where schema cron lives, if that is another one.
func (c *console) uninstall(ctx context.Context, _ []string) error {
	c.All = true
	tables, err := c.destination("down", false)
	if err != nil {
		return err
	}
	places := []destination{tables}
	if tables.project.file.Install.CronElsewhere() {
		jobs, err := c.destination("down", true)
		if err != nil {
			return err
		}
		places = []destination{jobs, tables}
	}
	found, err := tables.belongings(ctx)
	if err == nil && found.Holds > 0 && c.Export == "" {
		err = refuse("holds in force", found.Holds)
	}
	if err == nil {
		found.Names, err = names(places)
	}
	if err == nil && !c.JSON {
		c.aligned(say("uninstall", found))
	}
	if err == nil && !c.Yes {
		err = c.agree(ctx, "Take all of this away from database "+quoted(found.Database)+"?")
	}
	if err != nil {
		return err
	}
	var all []install.Migration
	for _, at := range places {
		done, undone := c.undo(ctx, at, install.Uninstall)
		if all, err = append(all, done...), undone; err != nil {
			break
		}
	}
	return c.migrated("undone", all, "there was nothing left to undo", err)
}

func (at destination) belongings(ctx context.Context) (found belongings, err error) {
	found.Schema = at.project.file.Install.Schema
	err = connected(ctx, at.url, func(conn *pgx.Conn) error {
		s := &session{conn: conn, install: at.project.file.Install}
		var standby, installed bool
		if err := s.row(ctx, "facts", found.Schema).Scan(&standby, &found.Database, &s.user, &installed); err != nil || !installed {
			return err
		}
		return s.explain(s.row(ctx, "uninstall").Scan(&found.Runs, &found.Holds, &found.Events))
	})
	return found, err
}

// names are those of the objects that the migrations install.
func names(places []destination) (map[string]string, error) {
	list := map[string][]string{}
	for _, at := range places {
		history, err := at.history()
		if err != nil {
			return nil, err
		}
		for _, o := range history.Objects() {
			list[string(o.Kind)] = append(list[string(o.Kind)], o.Name)
		}
	}
	texts := map[string]string{}
	for kind, names := range list {
		texts[kind] = strings.Join(slices.Sorted(slices.Values(names)), ", ")
	}
	return texts, nil
}
