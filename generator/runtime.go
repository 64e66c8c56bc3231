package generator

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"pgretain/internal/lists"
	"pgretain/internal/pgparse"
	"pgretain/policy"
	sqlfiles "pgretain/sql"
)

// Runtime returns the objects of the runtime. They have the schema and the roles of the install.
// With "roles: none" there are no grants. An error in the runtime's files is a bug and panics.
func Runtime(install policy.Install) []Object {
	rename := renaming(install)
	objects := lists.Map(runtimeFiles(), func(file runtimeFile) Object { return file.object(install, rename) })
	upgraded, err := upgrades(sqlfiles.Runtime, rename)
	if err != nil {
		panic(fmt.Errorf("reading the runtime: %w", err))
	}
	return byRank(append(objects, upgraded...))
}

// chapterLine begins the heading of a chapter. Like all lines that begin with ourPrefix, it belongs
// to no object.
const chapterLine = ourPrefix + " chapter "

// heading returns the lines above the first object of a chapter.
func heading(chapter string) string {
	text := chapterLine
	if number, _, ok := strings.Cut(path.Base(chapter), "_"); ok {
		text += number + " "
	}
	return text + strings.ReplaceAll(strings.TrimPrefix(sqlfiles.Heading(chapter), commentStart), "\n"+commentStart,
		"\n"+ourPrefix+" ")
}

// contents returns a table of contents for a file: the chapters with the numbers of their first
// lines. It also tells how many of the lines belong to code that a run executes.
func contents(file string) string {
	var list, runs string
	for _, chapter := range sqlfiles.Chapters() {
		title, _, _ := strings.Cut(heading(chapter), "\n")
		above, _, ok := strings.Cut(file, title+"\n")
		if !ok {
			continue
		}
		lines := strings.Count(above, "\n")
		list += fmt.Sprintf("-- %5d  %s\n", lines+1, strings.TrimPrefix(title, chapterLine))
		if runs == "" && !sqlfiles.RunsExecute(chapter) {
			runs = fmt.Sprintf("-- A run executes the first %d lines and nothing after them. Dry runs and reports "+
				"call some\n-- functions after them, but take no rows.\n", lines)
		}
	}
	if list == "" {
		return ""
	}
	return "-- Its chapters, and the lines where they begin:\n" + list + runs
}

// plainTypes replaces qualified names of types by the usual names. A procedure without a fixed
// search path needs the qualified names.
var plainTypes = strings.NewReplacer("pg_catalog.bool", "boolean", "pg_catalog.int8", "bigint", "pg_catalog.", "")

// runtimeFile is a file of the runtime with the object that it creates, under the default names.
type runtimeFile struct {
	sqlfiles.File
	id   ID
	made pgparse.Created
}

// runtimeFiles are the files of the runtime in their order. Each is parsed once.
var runtimeFiles = sync.OnceValue(func() []runtimeFile {
	return lists.Map(sqlfiles.Files(), func(file sqlfiles.File) runtimeFile {
		id, made, ok := created(file.Text)
		if !ok {
			panic(fmt.Sprintf("reading the runtime: cannot parse the CREATE statement of %s/%s.sql", file.Chapter,
				file.Name))
		}
		return runtimeFile{file, id, made}
	})
})

// object returns the object of a file with the names of the install.
func (file runtimeFile) object(install policy.Install, rename func(string) string) Object {
	name, text, roles := rename(file.id.Name), file.Text, install.Roles
	o := Object{Kind: file.id.Kind, Name: name, As: AsOwner, Drop: dropStatement(file.id.Kind, name),
		Chapter: file.Chapter}
	routine := file.made.Routine
	if roles.None || routine != nil && routine.Role != "" && roles.Owner == roles.Runner { // the same role creates it
		for _, statement := range file.made.Grants {
			text = strings.Replace(text, statement+"\n", "", 1)
		}
	}
	o.SQL = rename(text)
	if routine != nil {
		above, below, _ := strings.Cut(text, routine.Body)
		o.Routine = renamedRoutine(*routine, rename)
		o.SQL = rename(above) + o.Routine.Body + rename(below)
	}
	if roles.None && routine != nil {
		o.Routine.Role = ""
	}
	o = o.withListedGrants(file.Name, roles)
	if file.Name == "install" && !roles.None {
		o = o.with(PartReaders, strings.Join([]string{roles.Worker, roles.Runner, roles.Operator, roles.Viewer}, ", "))
	}
	if o.Kind == KindFunction && o.As == AsOwner && !o.Routine.SecurityDefiner() {
		o = o.grantedTo(roles, roles.Worker)
	}
	return o
}

// renamedRoutine returns a routine of the runtime with the names of the install.
func renamedRoutine(r pgparse.Routine, rename func(string) string) *pgparse.Routine {
	r.Parameters = lists.Map(r.Parameters, func(p pgparse.Parameter) pgparse.Parameter {
		p.Type, p.Default = rename(p.Type), rename(p.Default)
		return p
	})
	r.Settings = lists.Map(r.Settings, rename)
	r.Returns, r.Body, r.Role = rename(r.Returns), rename(r.Body), rename(r.Role)
	return &r
}

const commentStart = "-- "

// created returns the object that a text of the runtime creates, with its ID.
func created(text string) (ID, pgparse.Created, bool) {
	made, err := pgparse.ReadCreated(text)
	id := ID{Kind(made.Kind), made.Name}
	if made.Routine != nil {
		id.Name += "(" + plainTypes.Replace(strings.Join(made.Routine.Arguments(), ", ")) + ")"
	}
	return id, made, err == nil && rank(id.Kind) >= 0 && rank(id.Kind) <= rank(KindView)
}

func dropStatement(kind Kind, name string) string {
	return fmt.Sprintf("DROP %s IF EXISTS %s;\n", strings.ToUpper(string(kind)), name)
}

// renaming returns a function that replaces the default names of schema and roles. The new names
// match [a-z_][a-z0-9_]*, so they need no quotes. The runtime writes the default names in no other
// word, and the schema before a dot or after SCHEMA.
func renaming(install policy.Install) func(string) string {
	if install.Schema == "retention" && install.Roles.IsDefault() {
		return func(sql string) string { return sql }
	}
	names := []string{"retention.", install.Schema + ".", "SCHEMA retention", "SCHEMA " + install.Schema}
	for word, role := range roleNames(install.Roles) {
		names = append(names, "retention_"+word, role)
	}
	return strings.NewReplacer(names...).Replace
}

func roleNames(roles policy.Roles) map[string]string {
	return map[string]string{"owner": roles.Owner, "worker": roles.Worker, "runner": roles.Runner,
		"operator": roles.Operator, "viewer": roles.Viewer}
}

// downSuffix ends the name of the file that reverts an upgrade.
const downSuffix = ".down.sql"

// upgrades returns the changes of the runtime's types and tables since its first version, oldest
// first. A new install executes them, too, so all installs have the same columns in the same order.
// An upgrade grants nothing: retention._apply_privileges() does.
func upgrades(runtime fs.FS, rename func(string) string) ([]Object, error) {
	const folder = "upgrades/"
	names, _ := fs.Glob(runtime, folder+"*/*.sql") // the pattern is valid
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(upgradeVersion(a), upgradeVersion(b)), cmp.Compare(a, b))
	})
	var objects []Object
	for _, name := range names {
		if strings.HasSuffix(name, downSuffix) {
			continue
		}
		up, err := fs.ReadFile(runtime, name)
		name = strings.TrimSuffix(name, ".sql")
		down, missing := fs.ReadFile(runtime, name+downSuffix)
		if err := errors.Join(err, missing); err != nil || upgradeVersion(name) == 0 {
			return nil, fmt.Errorf("%s.sql: no version, or no file that reverts it: %w", name, err)
		}
		objects = append(objects, Object{
			Kind: KindUpgrade, Name: strings.TrimPrefix(name, folder), As: AsOwner,
			SQL: rename(string(up)), Drop: rename(string(down)),
		})
	}
	return objects, nil
}

// upgradeVersion returns the number in "upgrades/2/name.sql"; 0 if there is none.
func upgradeVersion(name string) int {
	version, _ := strconv.Atoi(path.Base(path.Dir(name)))
	return version
}

// checkVersion refuses a file that installs a newer runtime than this one.
func checkVersion(file *migrationFile) error {
	for _, a := range file.up {
		version := sqlfiles.Version
		var row installRow
		if a.object.readRow(&row) {
			version = row.Version
		} else if a.object.Kind == KindUpgrade {
			version, _, _ = strings.Cut(a.object.Name, "/")
		}
		if newer, err := sqlfiles.Compare(version); err != nil || newer > 0 {
			message := fmt.Sprintf("it installs version %s of the runtime; this pgretain writes version %s",
				version, sqlfiles.Version)
			return historyError(ErrNewer, message, file.Name)
		}
	}
	return nil
}

// grant is one line of the list in sql/migrate/_rights.sql.
type grant struct {
	roles     []string // owner, worker, runner, operator, viewer or application
	privilege string
	names     []string
}

// grantList returns the lines of sql/migrate/_rights.sql: the rows of three texts in its VALUES.
var grantList = sync.OnceValue(func() (list []grant) {
	rows, err := pgparse.TextRows(runtimeRoutine("_rights").Body)
	if err != nil {
		panic(fmt.Errorf("reading the runtime: _rights.sql: %w", err))
	}
	for _, r := range rows {
		if len(r) == 3 {
			list = append(list, grant{strings.Fields(r[0]), r[1], strings.Fields(r[2])})
		}
	}
	return list
})

// runtimeRoutine returns a routine of the runtime under the default names. The file of the routine
// has the same name.
func runtimeRoutine(name string) *pgparse.Routine {
	files := runtimeFiles()
	return files[slices.IndexFunc(files, func(f runtimeFile) bool { return f.Name == name })].made.Routine
}

// withListedGrants returns an object of the runtime with its lines from sql/migrate/_rights.sql.
// They name the roles that may call or read the object. They also say which write privileges the
// worker gets, and whether the worker owns the object.
func (o Object) withListedGrants(name string, roles policy.Roles) Object {
	names := roleNames(roles)
	use := map[Kind]string{KindFunction: "EXECUTE", KindProcedure: "EXECUTE", KindTable: "SELECT",
		KindView: "SELECT"}[o.Kind]
	for _, g := range grantList() {
		switch {
		case !slices.Contains(g.names, name):
		case g.privilege == "OWNER" && o.Kind == KindFunction:
			o.As = AsWorker
		case roles.None:
		case g.privilege == use:
			for _, word := range g.roles {
				if names[word] != "" {
					o.Grants = append(o.Grants, names[word])
				}
			}
		case o.Kind == KindTable && slices.Contains([]string{"INSERT", "UPDATE", "DELETE"}, g.privilege):
			o.Writes = append(o.Writes, g.privilege)
		}
	}
	return o
}

// PinnedSettings returns the settings that retention._put_policy adds to a policy's functions for
// applications. search_path and timezone come first; their values depend on the policy file.
func PinnedSettings() []string {
	return runtimeRoutine("_evaluate_as_worker").Settings
}

// ForApplications reports whether a function of the runtime may be granted to roles of the
// application by hand.
func ForApplications(name string) bool {
	return slices.ContainsFunc(grantList(), func(g grant) bool {
		return slices.Contains(g.names, name) && slices.Contains(g.roles, "application")
	})
}
