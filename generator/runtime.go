package generator

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"pgretain/internal/pgparse"
	"pgretain/policy"
	sqlfiles "pgretain/sql"
)

// runtimeKind is a directory of the runtime and what its files are.
type runtimeKind struct {
	dir  string
	kind Kind
}

// runtimeKinds are in the order of creation.
var runtimeKinds = []runtimeKind{
	{"types", KindType},
	{"tables", KindTable},
	{"upgrades", KindUpgrade},
	{"functions", KindFunction},
	{"procedures", KindProcedure},
	{"views", KindView},
}

// Runtime renders the runtime for an install: its schema and role names instead of the default
// ones, and no grants with "roles: none". An error in it is a mistake of ours.
func Runtime(install policy.Install) []Object {
	var objects []Object
	for _, k := range runtimeKinds {
		read := k.objects
		if k.kind == KindUpgrade {
			read = k.upgrades
		}
		made, err := read(sqlfiles.Runtime, install)
		if err != nil {
			panic(fmt.Errorf("reading the runtime's %s: %w", k.dir, err))
		}
		objects = append(objects, made...)
	}
	return objects
}

// objects are those of one directory, a file each.
func (k runtimeKind) objects(runtime fs.FS, install policy.Install) ([]Object, error) {
	files, err := runtimeFiles(runtime, k.dir+"/*.sql")
	if k.kind == KindFunction || k.kind == KindProcedure {
		files, err = k.routines(runtime)
	}
	if err != nil {
		return nil, err
	}
	if files, err = inOrderOfUse(files); err != nil {
		return nil, err
	}
	var objects []Object
	for _, file := range files {
		object, err := runtimeObject(k.kind, file, install)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.name, err)
		}
		objects = append(objects, object)
	}
	return objects, nil
}

// routines are the functions, or the procedures, of all chapters.
func (k runtimeKind) routines(runtime fs.FS) ([]runtimeFile, error) {
	run, err := runtimeFiles(runtime, "run/*/*.sql")
	if err != nil {
		return nil, err
	}
	besides, err := runtimeFiles(runtime, "besides/*/*.sql")
	files := slices.DeleteFunc(append(run, besides...), func(f runtimeFile) bool {
		id, _ := runtimeID(f.text)
		return id.Kind != k.kind
	})
	slices.SortFunc(files, func(a, b runtimeFile) int { return cmp.Compare(a.object(), b.object()) })
	return files, err
}

type runtimeFile struct{ name, text string }

// object is the name of what a file holds.
func (f runtimeFile) object() string { return strings.TrimSuffix(path.Base(f.name), ".sql") }

func runtimeFiles(runtime fs.FS, pattern string) ([]runtimeFile, error) {
	names, err := fs.Glob(runtime, pattern)
	if err != nil {
		return nil, err
	}
	files := make([]runtimeFile, 0, len(names))
	for _, name := range names {
		text, err := fs.ReadFile(runtime, name)
		if err != nil {
			return nil, err
		}
		files = append(files, runtimeFile{name, string(text)})
	}
	return files, nil
}

// inOrderOfUse sorts files so that each comes after those whose object it names outside comments: PostgreSQL
// checks the body of a function in language SQL when it is created, and foreign keys of tables.
func inOrderOfUse(files []runtimeFile) ([]runtimeFile, error) {
	named := map[string][]string{} // by file
	for _, file := range files {
		named[file.name] = runtimeName.FindAllString(lineComment.ReplaceAllString(file.text, ""), -1)
	}
	var sorted []runtimeFile
	placed := map[string]bool{}
	for len(sorted) < len(files) {
		before := len(sorted)
		for _, file := range files {
			waits := slices.ContainsFunc(files, func(other runtimeFile) bool {
				return other.name != file.name && !placed[other.name] && slices.Contains(named[file.name], "retention."+other.object())
			})
			if !placed[file.name] && !waits {
				sorted = append(sorted, file)
				placed[file.name] = true
			}
		}
		if len(sorted) == before {
			return nil, fmt.Errorf("ordering %s: objects mention each other in a circle", path.Dir(files[0].name))
		}
	}
	return sorted, nil
}

var (
	runtimeName = regexp.MustCompile(`retention\.[A-Za-z0-9_]+`)
	lineComment = regexp.MustCompile(`(?m)--.*$`)
	roleLine    = regexp.MustCompile(`(?m)^(?:GRANT .* TO retention_.*|REVOKE CREATE .*|SET LOCAL ROLE .*);\n`)
	changeLine  = regexp.MustCompile(`(?m)^(?:GRANT CREATE .*|REVOKE CREATE .*|SET LOCAL ROLE .*);\n`)
	schemaName  = regexp.MustCompile(`\bretention\.|\bSCHEMA retention\b`)
	roleName    = regexp.MustCompile(`\bretention_(owner|worker|runner|operator|viewer)\b`)
)

// plainTypes are types as they are mostly written: procedures that pin no search path say where they are.
var plainTypes = strings.NewReplacer("pg_catalog.bool", "boolean", "pg_catalog.int8", "bigint", "pg_catalog.", "")

func runtimeObject(kind Kind, file runtimeFile, install policy.Install) (Object, error) {
	name := "retention." + file.object()
	if kind == KindFunction || kind == KindProcedure {
		arguments, err := routineArguments(file.text)
		if err != nil {
			return Object{}, err
		}
		name += arguments
	}
	name = renameInstall(name, install)
	o := Object{Kind: kind, Name: name, As: AsOwner, SQL: renameInstall(file.text, install), Drop: dropStatement(kind, name)}
	o = o.listed(file.object(), install.Roles)
	if kind == KindFunction && o.As == AsOwner && !strings.Contains(file.text, "SECURITY DEFINER") {
		o = o.forWorker(install.Roles)
	}
	return o, nil
}

// routineArguments are the types by which PostgreSQL finds a function or procedure of the runtime, in parentheses.
func routineArguments(text string) (string, error) {
	routine, err := pgparse.ReadRoutine(text)
	return "(" + plainTypes.Replace(strings.Join(routine.Arguments(), ", ")) + ")", err
}

// plain says whether an object of the runtime needs no mark of its own: it begins with a comment, and tells what it is.
func (a action) plain() bool {
	o := a.object
	if a.verb != verbPut || a.removal != nil || o.As != AsOwner || !strings.HasPrefix(o.SQL, commentStart) || len(runtimeTexts(o.SQL)) != 1 {
		return false
	}
	id, ok := runtimeID(o.SQL)
	return ok && id == o.ID()
}

const commentStart = "-- "

// runtimeTexts takes apart what stands below runtimeMark: each object begins with lines of comment.
func runtimeTexts(text string) []string {
	var texts []string
	start, at, comment := 0, 0, true
	for line := range strings.Lines(text) {
		before := comment
		if comment = strings.HasPrefix(line, commentStart); comment && !before {
			texts = append(texts, text[start:at])
			start = at
		}
		at += len(line)
	}
	return append(texts, text[start:])
}

var runtimeHead = regexp.MustCompile(`(?m)^CREATE (?:OR REPLACE )?(TYPE|TABLE|FUNCTION|PROCEDURE|VIEW) (?:IF NOT EXISTS )?([a-z0-9_.]+)`)

// runtimeID is the object that a text of the runtime creates.
func runtimeID(text string) (ID, bool) {
	m := runtimeHead.FindStringSubmatch(text)
	if m == nil {
		return ID{}, false
	}
	id := ID{Kind(strings.ToLower(m[1])), m[2]}
	if id.Kind != KindFunction && id.Kind != KindProcedure {
		return id, true
	}
	arguments, err := routineArguments(text)
	id.Name += arguments
	return id, err == nil
}

// dropStatement drops an object of the runtime.
func dropStatement(kind Kind, name string) string {
	return fmt.Sprintf("DROP %s IF EXISTS %s;\n", strings.ToUpper(string(kind)), name)
}

// renameInstall puts an install's names in place of the default ones. They match [a-z_][a-z0-9_]*,
// so that the result needs no quotes.
func renameInstall(sql string, install policy.Install) string {
	if install.Roles.None {
		sql = roleLine.ReplaceAllString(sql, "")
	}
	if install.Roles.Owner == install.Roles.Runner { // whose CREATE on its own schema must stay
		sql = changeLine.ReplaceAllString(sql, "")
	}
	if !install.Roles.Usual() {
		names := roleNames(install.Roles)
		sql = roleName.ReplaceAllStringFunc(sql, func(found string) string { return names[strings.TrimPrefix(found, "retention_")] })
	}
	if install.Schema == "retention" {
		return sql
	}
	return schemaName.ReplaceAllStringFunc(sql, func(found string) string {
		return strings.Replace(found, "retention", install.Schema, 1)
	})
}

// roleNames are the names of an install's roles, by what they are for.
func roleNames(roles policy.Roles) map[string]string {
	return map[string]string{"owner": roles.Owner, "worker": roles.Worker, "runner": roles.Runner,
		"operator": roles.Operator, "viewer": roles.Viewer}
}

// downSuffix ends the name of the file that undoes an upgrade.
const downSuffix = ".down.sql"

// upgrades are the changes of the runtime's types and tables since its first version, the oldest
// first. A new install runs them as well: so every install has the same columns in the same order.
func (k runtimeKind) upgrades(runtime fs.FS, install policy.Install) ([]Object, error) {
	files, err := runtimeFiles(runtime, k.dir+"/*/*.sql")
	if err != nil {
		return nil, err
	}
	down := map[string]string{}
	for _, file := range files {
		if name, ok := strings.CutSuffix(file.name, downSuffix); ok {
			down[name] = file.text
		}
	}
	files = slices.DeleteFunc(files, func(f runtimeFile) bool { return strings.HasSuffix(f.name, downSuffix) })
	slices.SortStableFunc(files, func(a, b runtimeFile) int {
		return cmp.Or(cmp.Compare(upgradeVersion(a.name), upgradeVersion(b.name)), cmp.Compare(a.name, b.name))
	})
	objects := make([]Object, 0, len(files))
	for _, file := range files {
		name := strings.TrimSuffix(file.name, ".sql")
		if down[name] == "" || upgradeVersion(name) == 0 {
			return nil, fmt.Errorf("%s: no version, or no %s", file.name, path.Base(name)+downSuffix)
		}
		objects = append(objects, Object{
			Kind: k.kind, Name: strings.TrimPrefix(name, k.dir+"/"), As: AsOwner,
			SQL: renameInstall(file.text, install), Drop: renameInstall(down[name], install),
		})
	}
	return objects, nil
}

// upgradeVersion is the number in "upgrades/2/name.sql" and in "2/name", 0 for none.
func upgradeVersion(name string) int {
	version, err := strconv.Atoi(path.Base(path.Dir(name)))
	if err != nil {
		return 0
	}
	return version
}

// installVersion is what the install's row says of the runtime that it is for.
var installVersion = regexp.MustCompile(`"runtime_version": "([0-9]+)"`)

// versionOf is the version of the runtime that an object tells, 0 where it tells none.
func versionOf(id ID, sql string) int {
	switch {
	case id.Kind == KindUpgrade:
		return upgradeVersion(id.Name)
	case id.Kind != KindInstall:
		return 0
	}
	if found := installVersion.FindStringSubmatch(sql); found != nil {
		version, _ := strconv.Atoi(found[1]) // digits, or too many of them
		return version
	}
	return 0
}

// checkVersion refuses a file that installs a newer runtime than this one.
func checkVersion(file migrationFile) error {
	for _, a := range file.up {
		version := versionOf(a.object.ID(), a.object.SQL)
		if newer, err := sqlfiles.Compare(strconv.Itoa(max(version, 1))); err != nil || newer > 0 {
			message := fmt.Sprintf("it installs version %d of the runtime; this pgretain writes version %s", version, sqlfiles.Version)
			return historyError(ErrNewer, newerHint, message, file.Name)
		}
	}
	return nil
}

// grant is a line of the list in sql/besides/9_migrate/_rights.sql.
type grant struct {
	roles     []string // owner, worker, runner, operator, viewer, application
	privilege string
	names     []string
}

var grantLine = regexp.MustCompile(`\('([a-z ]+)', '(EXECUTE|SELECT|INSERT|UPDATE|DELETE|OWNER)',\s+'([a-z_\s]+)'\)`)

// grantList is that list.
var grantList = sync.OnceValue(func() []grant {
	text, _ := sqlfiles.Runtime.ReadFile("besides/9_migrate/_rights.sql") // embedded; a test looks that the list is found
	var list []grant
	for _, found := range grantLine.FindAllStringSubmatch(string(text), -1) {
		list = append(list, grant{strings.Fields(found[1]), found[2], strings.Fields(found[3])})
	}
	return list
})

// grantsOn are the lines of the list about an object of the runtime.
func grantsOn(name string) []grant {
	return slices.DeleteFunc(slices.Clone(grantList()), func(g grant) bool { return !slices.Contains(g.names, name) })
}

// listed is an object of the runtime with what the list says of it: the roles that may call or read it, what else the
// worker may do there, and whether it is the worker's.
func (o Object) listed(name string, roles policy.Roles) Object {
	names := roleNames(roles)
	use := map[Kind]string{KindFunction: "EXECUTE", KindProcedure: "EXECUTE", KindTable: "SELECT", KindView: "SELECT"}[o.Kind]
	for _, g := range grantsOn(name) {
		switch {
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

// PinnedSettings are those that retention._register gives a policy's functions for applications besides their own:
// search_path and timezone, which are their own, come first.
func PinnedSettings() []string {
	text, _ := sqlfiles.Runtime.ReadFile("run/5_trust/_evaluated.sql") // embedded
	routine, _ := pgparse.ReadRoutine(string(text))
	return routine.Settings
}

// ForApplications says whether a function of the runtime may be granted to roles of the application by hand.
func ForApplications(name string) bool {
	return slices.ContainsFunc(grantsOn(name), func(g grant) bool { return slices.Contains(g.roles, "application") })
}
