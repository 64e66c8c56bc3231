package policy

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"pgretain/internal/diag"
	"pgretain/internal/messages"
)

var defaultRoles = Roles{Owner: "retention_owner", Worker: "retention_worker", Runner: "retention_runner",
	Operator: "retention_operator", Viewer: "retention_viewer"}

// IsDefault reports whether the roles have the names that the runtime's SQL files use.
func (r Roles) IsDefault() bool { return r == defaultRoles }

// DefaultInstall returns the values of all settings that the policy file does not set.
func DefaultInstall(path string) Install {
	return Install{
		Schema: "retention", SearchPath: []string{"public"}, TimeZone: "UTC", Scheduler: "pg_cron", Roles: defaultRoles,
		Position: diag.Position{File: path, Line: 1, Column: 1},
	}
}

func (i *Install) check(r *reader, m mapping) {
	i.Position = r.at(m.from.key)
	if m.has("cron_database") && !m.has("database") {
		i.Database = AnyDatabase
	}
	if !m.has("format") { // without it, the files of the directory show the tool
		i.Format = ""
	}
}

// read reads the names of the five roles, or the word "none".
func (roles *Roles) read(r *reader, f field) {
	if node := resolve(f.value); node.Kind == yaml.ScalarNode {
		if node.Value != "none" {
			r.fail(messages.NoRoles(node.Value), r.at(node))
		}
		*roles = Roles{None: true}
		return
	}
	r.structure(f, f.label(), roles)
	if slices.Contains([]string{roles.Owner, roles.Runner, roles.Operator, roles.Viewer}, roles.Worker) {
		r.add(messages.SharedWorker(roles.Worker), r.at(f.value))
	}
}

// Migrations reads install.migrations and install.format from the source of a policy file. The file
// may have faults elsewhere. Both are "" if the file does not name them.
func Migrations(source []byte) (directory, format string) {
	var file struct {
		Install struct{ Migrations, Format string }
	}
	_ = yaml.Unmarshal(source, &file) // Parse reports the faults of the file
	return file.Install.Migrations, file.Install.Format
}

// Path returns the search path of generated functions and migrations.
func (i Install) Path() []string {
	return slices.Concat([]string{"pg_catalog"}, i.SearchPath, []string{"pg_temp"})
}

// CronElsewhere reports whether pg_cron is in another database than the tables.
func (i Install) CronElsewhere() bool {
	return i.Scheduler == "pg_cron" && i.CronDatabase != "" && i.CronDatabase != i.Database
}

// AnyDatabase stands for the database of the tables if the policy file does not name one. Jobs that
// are scheduled from another database then run in the database to which migrations are applied.
// Several databases can share the same migration files.
const AnyDatabase = "{database}"

// In returns the install for a database: it replaces AnyDatabase by that database.
func (i Install) In(database string) Install {
	if i.Database == AnyDatabase {
		i.Database = database
	}
	return i
}

// CronJobName returns the jobname of a job's schedule; schedules count from 0. If several
// applications share schema cron, the name begins with the database. Names of schemas and jobs
// contain no dot.
func (i Install) CronJobName(job string, schedule int) string {
	name := i.Schema + "." + job
	if i.CronElsewhere() {
		name = i.Database + "." + name
	}
	if schedule > 0 {
		name += "#" + strconv.Itoa(schedule+1)
	}
	return short(name)
}

// CronJobPrefix returns the beginning of the names of all jobs, for a schema cron that several
// applications share.
func (i Install) CronJobPrefix() string {
	prefix := i.Database + "." + i.Schema + "."
	return prefix[:min(len(prefix), kept(prefix))]
}

// CronSchema returns the schema that holds the migration versions in pg_cron's database. It belongs
// to this install alone, and its name does not change when the jobs move back.
func (i Install) CronSchema() string { return short(i.Database + "." + i.Schema) }

// nameLimit is the longest identifier in bytes. pg_cron before 1.5 truncates longer names without a
// warning.
const nameLimit = 63

// short returns the name itself if PostgreSQL would not truncate it. Otherwise it returns the
// beginning of the name and a hash.
func short(name string) string {
	if len(name) <= nameLimit || strings.HasPrefix(name, AnyDatabase) {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return name[:kept(name)] + "~" + hex.EncodeToString(sum[:])[:8]
}

// kept returns how many bytes of a long name short keeps. It keeps whole characters.
func kept(name string) int {
	end := min(nameLimit-9, len(name))
	for end < len(name) && !utf8.RuneStart(name[end]) {
		end--
	}
	return end
}
