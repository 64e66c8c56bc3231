package generator

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

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
// ones, and no grants with "roles: none".
func Runtime(install policy.Install) ([]Object, error) {
	var objects []Object
	for _, k := range runtimeKinds {
		read := k.objects
		if k.kind == KindUpgrade {
			read = k.upgrades
		}
		made, err := read(sqlfiles.Runtime, install)
		if err != nil {
			return nil, fmt.Errorf("reading the runtime's %s: %w", k.dir, err)
		}
		objects = append(objects, made...)
	}
	return objects, nil
}

// objects are those of one directory, a file each.
func (k runtimeKind) objects(runtime fs.FS, install policy.Install) ([]Object, error) {
	files, err := runtimeFiles(runtime, k.dir+"/*.sql")
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

type runtimeFile struct{ name, text string }

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

// inOrderOfUse sorts files so that each comes after those whose object it mentions: PostgreSQL
// checks the body of a function in language SQL when it is created, and foreign keys of tables.
func inOrderOfUse(files []runtimeFile) ([]runtimeFile, error) {
	mentioned := make(map[string][]string, len(files)) // by file, of the others
	for _, file := range files {
		mentioned[file.name] = mentions(file, files)
	}
	var sorted []runtimeFile
	placed := map[string]bool{}
	for len(sorted) < len(files) {
		before := len(sorted)
		for _, file := range files {
			missing := slices.ContainsFunc(mentioned[file.name], func(other string) bool { return !placed[other] })
			if !placed[file.name] && !missing {
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

// mentions lists the files whose object the text of file names outside comments.
func mentions(file runtimeFile, files []runtimeFile) []string {
	named := runtimeName.FindAllString(lineComment.ReplaceAllString(file.text, ""), -1)
	var names []string
	for _, other := range files {
		object := "retention." + strings.TrimSuffix(path.Base(other.name), ".sql")
		if other.name != file.name && slices.Contains(named, object) {
			names = append(names, other.name)
		}
	}
	return names
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
	name := "retention." + strings.TrimSuffix(path.Base(file.name), ".sql")
	if kind == KindFunction || kind == KindProcedure {
		parsed, err := pgparse.ParseRoutine(file.text)
		if err != nil {
			return Object{}, err
		}
		name += "(" + plainTypes.Replace(strings.Join(parsed.Arguments, ", ")) + ")"
	}
	name = renameInstall(name, install)
	base := strings.TrimSuffix(path.Base(file.name), ".sql")
	o := Object{
		Kind: kind, Name: name, As: AsOwner, SQL: renameInstall(file.text, install),
		Drop: dropStatement(kind, name), Grants: listed(base, kind, install.Roles), Writes: workersWrites(base, kind, install.Roles),
	}
	switch {
	case ownedByWorker(base, kind):
		o.As = AsWorker
	case kind == KindFunction && !strings.Contains(file.text, "SECURITY DEFINER"):
		o = o.forWorker(install.Roles)
	}
	return o, nil
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
	names := map[string]string{
		"owner": install.Roles.Owner, "worker": install.Roles.Worker, "runner": install.Roles.Runner,
		"operator": install.Roles.Operator, "viewer": install.Roles.Viewer,
	}
	if !install.Roles.Usual() {
		sql = roleName.ReplaceAllStringFunc(sql, func(found string) string {
			return names[strings.TrimPrefix(found, "retention_")]
		})
	}
	if install.Schema == "retention" {
		return sql
	}
	return schemaName.ReplaceAllStringFunc(sql, func(found string) string {
		return strings.Replace(found, "retention", install.Schema, 1)
	})
}
