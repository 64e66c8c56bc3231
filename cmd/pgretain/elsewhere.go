package main

import (
	"net/url"
	"strings"

	"github.com/spf13/cobra"

	"pgretain/generator"
	"pgretain/internal/install"
	"pgretain/policy"
)

func addCronDatabaseURL(command *cobra.Command, url *string) {
	command.Flags().StringVar(url, "cron-database-url", "",
		"the `URL` of the database where schema cron lives, if that is another one (default: the connection with install.cron_database)")
}

// cronURL is where schema cron lives: given, or the other connection with its database replaced.
func cronURL(given, connection string, in policy.Install) (string, error) {
	switch {
	case given != "":
		return given, nil
	case in.CronDatabase == "":
		return "", &install.CheckError{
			Message: "nothing says where schema cron lives",
			Hint:    "Name the database with --cron-database-url, or under install.cron_database.",
		}
	}
	return inDatabase(connection, in.CronDatabase), nil
}

// inDatabase replaces the database of connection settings: of a URL, of keywords and values, or
// of the PG* variables where there are none.
func inDatabase(connection, database string) string {
	u, err := url.Parse(connection)
	if err == nil && (u.Scheme == "postgres" || u.Scheme == "postgresql") {
		values := u.Query()
		values.Del("dbname")
		values.Del("database")
		u.Path, u.RawPath, u.RawQuery = "/"+database, "/"+url.PathEscape(database), values.Encode()
		return u.String()
	}
	escape := strings.NewReplacer(`\`, `\\`, `'`, `\'`)
	return strings.TrimSpace(connection + " dbname='" + escape.Replace(database) + "'")
}

// destination is one of the two directories and its database.
type destination struct {
	url, dir string
	cron     bool
}

// destination is what --cron says.
func (m migration) destination(p *project) (destination, error) {
	if !m.cron {
		return destination{m.url, m.migrations, false}, nil
	}
	if err := m.checkDirectories(); err != nil {
		return destination{}, err
	}
	if p.file.Install.Database == "" {
		return destination{}, &install.CheckError{
			Message: "install.database is missing in " + m.policy,
			Detail:  "It tells the jobs of this database from those of others, also when they move back.",
			Hint:    "Write it, with install.cron_database; or leave --cron out.",
		}
	}
	url, err := cronURL(m.cronURL, m.url, p.file.Install)
	return destination{url, m.cronDirectory(), true}, err
}

// flag names the directory.
func (at destination) flag() string {
	if at.cron {
		return "--cron-migrations"
	}
	return "--migrations"
}

// history replays the directory.
func (at destination) history() (*generator.History, error) {
	if at.cron {
		return readCron(at.dir)
	}
	return readTables(at.dir)
}

// schedules are those of the file, where they are scheduled at this place.
func (at destination) schedules(p *project) []policy.Schedule {
	if p.file.Install.Scheduler != "pg_cron" || at.cron != p.file.Install.CronElsewhere() {
		return nil
	}
	var list []policy.Schedule
	for _, job := range p.file.Jobs {
		list = append(list, job.Schedules...)
	}
	return list
}
