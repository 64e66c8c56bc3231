package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata" // time zones are checked on machines without a zone database too

	"go.yaml.in/yaml/v3"

	"pgretain/internal/diag"
)

var (
	installShape = shape{keys: []string{"schema", "search_path", "time_zone", "scheduler", "database", "cron_database", "roles", "trust"}}
	rolesShape   = shape{keys: []string{"owner", "worker", "runner", "operator", "viewer"}}
)

func (r *reader) install(file mapping) Install {
	install := Install{
		Schema: "retention", SearchPath: []string{"public"}, TimeZone: "UTC", Scheduler: "pg_cron", Roles: defaultRoles,
		Position: diag.Position{File: r.path, Line: 1, Column: 1},
	}
	f, ok := file.fields["install"]
	if !ok {
		return install
	}
	install.Position = r.at(f.key)
	m, ok := r.mapping(f, `"install"`, installShape)
	if !ok {
		return install
	}
	install.Schema = r.system(m.fields["schema"], install.Schema)
	install.SearchPath = r.searchPath(m.fields["search_path"], install.SearchPath)
	install.TimeZone = r.timeZone(m.fields["time_zone"], install.TimeZone)
	install.Scheduler = r.choice(m.fields["scheduler"], "pg_cron", "none")
	install.Database = r.database(m.fields["database"])
	install.CronDatabase = r.cronDatabase(m)
	install.Roles = r.roles(m.fields["roles"])
	install.Trust = r.grants(m.fields["trust"])
	return install
}

// Usual says whether they have the names that the runtime is written with.
func (r Roles) Usual() bool { return r == defaultRoles }

var defaultRoles = Roles{Owner: "retention_owner", Worker: "retention_worker", Runner: "retention_runner", Operator: "retention_operator", Viewer: "retention_viewer"}

// roles reads the five names, or the word none.
func (r *reader) roles(f field) Roles {
	roles := defaultRoles
	if f.value == nil {
		return roles
	}
	if node := resolve(f.value); node.Kind == yaml.ScalarNode {
		if node.Value != "none" {
			r.add(codeChoice, r.at(node), fmt.Sprintf("%q is no value of \"roles\"", node.Value), "", "Write none, or a map with owner, worker, runner, operator and viewer.")
		}
		return Roles{None: true}
	}
	m, ok := r.mapping(f, `"roles"`, rolesShape)
	if !ok {
		return roles
	}
	roles.Owner = r.system(m.fields["owner"], roles.Owner)
	roles.Worker = r.system(m.fields["worker"], roles.Worker)
	roles.Runner = r.system(m.fields["runner"], roles.Runner)
	roles.Operator = r.system(m.fields["operator"], roles.Operator)
	roles.Viewer = r.system(m.fields["viewer"], roles.Viewer)
	if slices.Contains([]string{roles.Owner, roles.Runner, roles.Operator, roles.Viewer}, roles.Worker) {
		r.add(codeChoice, r.at(f.value), fmt.Sprintf("role %q is the worker and another role besides", roles.Worker), "",
			"Give the worker a role of its own: it evaluates what policies say, and must be able to do nothing else.")
	}
	return roles
}

// searchPath is a list of schemas. Those of PostgreSQL's own that depend on who calls are refused:
// the path must mean the same in every generated function.
func (r *reader) searchPath(f field, fallback []string) []string {
	if f.value == nil {
		return fallback
	}
	path := []string{}
	for _, item := range r.list(f) {
		parts, ok := r.identifier(item, "a schema", 1)
		if !ok {
			continue
		}
		name := parts[0]
		switch {
		case name == "$user" || strings.HasPrefix(name, "pg_"):
			r.add(codeReserved, r.at(item.value), fmt.Sprintf("schema %q is not allowed in \"search_path\"", name), "pg_catalog comes first and pg_temp last by themselves.", "Name ordinary schemas only.")
		case slices.Contains(path, name):
			r.add(codeRunTwice, r.at(item.value), fmt.Sprintf("schema %q is already listed in \"search_path\"", name), "", "")
		}
		path = append(path, name)
	}
	return path
}

func (r *reader) timeZone(f field, fallback string) string {
	if f.value == nil {
		return fallback
	}
	name, ok := r.text(f)
	if !ok {
		return fallback
	}
	if _, err := time.LoadLocation(name); err != nil || name == "" || name == "Local" {
		r.add(codeTimeZone, r.at(f.value), fmt.Sprintf("unknown time zone %q", name), "", `Write a name of the time zone database, for example "Europe/Berlin" or "UTC".`)
	}
	return name
}

// cronDatabase needs the other name as well: jobs that live there say where they run.
func (r *reader) cronDatabase(m mapping) string {
	f := m.fields["cron_database"]
	if _, ok := m.fields["database"]; f.value != nil && !ok {
		r.add(codeMissing, r.at(f.key), `"install" has "cron_database" without "database"`, "A job in another database says in which one it runs.",
			"Add database: the database of the policies' tables.")
	}
	return r.database(f)
}

// database is the plain name of a database; its characters are quoted where it is used.
func (r *reader) database(f field) string {
	if f.value == nil {
		return ""
	}
	name, ok := r.text(f)
	if ok && (name == "" || len(name) > 63 || strings.ContainsAny(name, "\x00\r\n")) {
		r.add(codeName, r.at(f.value), fmt.Sprintf("invalid database name %q", name), "", "Write a name of 1 to 63 bytes in one line.")
	}
	return name
}
