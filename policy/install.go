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
)

var defaultRoles = Roles{Owner: "retention_owner", Worker: "retention_worker", Runner: "retention_runner",
	Operator: "retention_operator", Viewer: "retention_viewer"}

// Usual says whether they have the names that the runtime is written with.
func (r Roles) Usual() bool { return r == defaultRoles }

// DefaultInstall is what holds where a file, or nothing, says nothing.
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
}

// read reads the five names, or the word none.
func (roles *Roles) read(r *reader, f field) {
	if node := resolve(f.value); node.Kind == yaml.ScalarNode {
		if node.Value != "none" {
			r.fail("P020 roles", r.at(node), node.Value)
		}
		*roles = Roles{None: true}
		return
	}
	r.structure(f, f.label(), roles)
	if slices.Contains([]string{roles.Owner, roles.Runner, roles.Operator, roles.Viewer}, roles.Worker) {
		r.add("P020 worker", r.at(f.value), roles)
	}
}

// Path is the search path that generated functions and migrations have.
func (i Install) Path() []string {
	return slices.Concat([]string{"pg_catalog"}, i.SearchPath, []string{"pg_temp"})
}

// CronElsewhere says whether jobs are scheduled in another database than the one they run in.
func (i Install) CronElsewhere() bool {
	return i.Scheduler == "pg_cron" && i.CronDatabase != "" && i.CronDatabase != i.Database
}

// AnyDatabase stands for the database of the tables where the policy file names none: jobs elsewhere then run in the
// one that migrations are applied to. Several databases can have the same files.
const AnyDatabase = "{database}"

// In is the install in a database, where AnyDatabase is that one.
func (i Install) In(database string) Install {
	if i.Database == AnyDatabase {
		i.Database = database
	}
	return i
}

// CronJobName is the jobname of a job's schedule, counted from 0. Where several applications share
// schema cron it begins with the database; neither schemas nor jobs have a dot in their names.
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

// CronJobPrefix is how the names of all jobs begin in a schema cron that several applications share.
func (i Install) CronJobPrefix() string {
	prefix := i.Database + "." + i.Schema + "."
	return prefix[:min(len(prefix), kept(prefix))]
}

// CronSchema is the schema in the other database that holds the versions of its migrations. It
// belongs to this install alone, and stays the same when the jobs move back.
func (i Install) CronSchema() string { return short(i.Database + "." + i.Schema) }

// nameLimit is the longest identifier in bytes; pg_cron before 1.5 cuts longer names without a word.
const nameLimit = 63

// short is the name itself, or its beginning and a hash of it where PostgreSQL would cut it.
func short(name string) string {
	if len(name) <= nameLimit || strings.HasPrefix(name, AnyDatabase) {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return name[:kept(name)] + "~" + hex.EncodeToString(sum[:])[:8]
}

// kept is how many bytes of a long name stay, in whole characters.
func kept(name string) int {
	end := min(nameLimit-9, len(name))
	for end < len(name) && !utf8.RuneStart(name[end]) {
		end--
	}
	return end
}
