package generator

import (
	"cmp"
	"slices"
	"strings"

	"pgretain/policy"
	sqlfiles "pgretain/sql"
)

// ofPolicies is a regular expression. It matches the end of the name of each function that belongs
// to one policy.
const ofPolicies = "_(admit|advance|beyond|claim|cursor|drop_table|effects|groups|partition|related|report|rows" +
	"|seen|share|start|take|touch)$"

// Removal returns the statement that removes pgretain from a database in one transaction, in
// whatever state the database is. It finds the objects by their comments and by what is in the
// schema, so it needs no migrations. Tables of the application, archives, roles and the table of
// versions stay. templates/uninstall.sql.tmpl lists errors and locks.
func Removal(install policy.Install) string {
	return removal(Runtime(install), install.Schema, install.Roles).Drop
}

// NextRemoval returns the files of one step that removes everything that h installs; none if h
// installs nothing. Down installs it again. The first file drops the indexes without blocking
// writes; Down builds them last.
func NextRemoval(h *History, opt NextOptions) ([]File, error) {
	objects := byRank(h.Objects())
	if opt.home = installSchema(objects); opt.home == "" { // a directory with jobs alone
		return Next(h, nil, opt)
	}
	parts := emptyParts(h.tool, cmp.Or(opt.Label, "retention"), false)
	indexes, rest := &parts[4], &parts[5]
	for i, o := range objects {
		c := Change{Before: &o, BeforeIndex: i}
		if o.Kind == KindIndex {
			indexes.changes = append(indexes.changes, c)
		} else {
			rest.changes = append(rest.changes, c)
		}
	}
	slices.Reverse(indexes.changes)
	rest.changes = uninstalled(rest.changes)
	both := slices.DeleteFunc([]part{*indexes, *rest}, func(p part) bool { return len(p.changes) == 0 })
	return writeStep(h, both, opt)
}

// uninstalled returns the changes of the file that removes everything, in the order of its head:
// the latest first.
func uninstalled(changes []Change) []Change {
	sorted := slices.Clone(changes)
	slices.SortStableFunc(sorted, func(a, b Change) int { return rank(b.Before.Kind) - rank(a.Before.Kind) })
	return sorted
}

// removal returns the object whose Drop removes everything from a database that has the given
// objects of the runtime.
func removal(runtime []Object, schema string, roles policy.Roles) Object {
	var relations, routines []string
	for _, o := range runtime {
		name, _, _ := strings.Cut(strings.TrimPrefix(o.Name, schema+"."), "(")
		switch o.Kind {
		case KindTable, KindView, KindType:
			relations = append(relations, name)
		case KindFunction, KindProcedure:
			if !strings.HasPrefix(name, "_") {
				routines = append(routines, name)
			}
		}
	}
	slices.Sort(routines)
	data := removalData{literal(schema), textArray(relations), textArray(slices.Compact(routines)),
		literal(ofPolicies), literal(sqlfiles.SchemaMark), ""}
	if !roles.None {
		data.Roles = textArray([]string{roles.Owner, roles.Worker, roles.Runner})
	}
	return Object{Kind: KindRuntime, Name: schema, As: AsMigrator, Drop: object("uninstall", data)}
}

// removalData is the data of the template "uninstall".
type removalData struct {
	Schema              literal
	Relations, Routines sqlText // names of objects of the runtime
	OfPolicies, Mark    literal
	Roles               sqlText // "" if the migrating role is all of them
}
