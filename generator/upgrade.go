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

	"pgretain/policy"
	sqlfiles "pgretain/sql"
)

// wayBack ends the name of the file that undoes an upgrade.
const wayBack = ".down.sql"

// upgrades are the changes of the runtime's types and tables since its first version, the oldest
// first. A new install runs them as well: so every install has the same columns in the same order.
func (k runtimeKind) upgrades(runtime fs.FS, install policy.Install) ([]Object, error) {
	files, err := runtimeFiles(runtime, k.dir+"/*/*.sql")
	if err != nil {
		return nil, err
	}
	back := map[string]string{}
	for _, file := range files {
		if name, ok := strings.CutSuffix(file.name, wayBack); ok {
			back[name] = file.text
		}
	}
	files = slices.DeleteFunc(files, func(f runtimeFile) bool { return strings.HasSuffix(f.name, wayBack) })
	slices.SortStableFunc(files, func(a, b runtimeFile) int {
		return cmp.Or(cmp.Compare(upgradeVersion(a.name), upgradeVersion(b.name)), cmp.Compare(a.name, b.name))
	})
	objects := make([]Object, 0, len(files))
	for _, file := range files {
		name := strings.TrimSuffix(file.name, ".sql")
		if back[name] == "" || upgradeVersion(name) == 0 {
			return nil, fmt.Errorf("%s: no version, or no %s", file.name, path.Base(name)+wayBack)
		}
		objects = append(objects, Object{
			Kind: k.kind, Name: strings.TrimPrefix(name, k.dir+"/"), As: AsOwner,
			SQL: renameInstall(file.text, install), Drop: renameInstall(back[name], install),
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

// installVersion is the line of the install's registry row that says which runtime it is for.
var installVersion = regexp.MustCompile(`(?m)^-- Runtime version ([0-9]+)\.$`)

// RuntimeVersion is the version of the runtime that the migrations install, "" for none.
func (h *History) RuntimeVersion() string {
	newest := 0
	for id, object := range h.objects {
		newest = max(newest, versionOf(id, object.SQL))
	}
	if newest == 0 {
		return ""
	}
	return strconv.Itoa(newest)
}

// versionOf is the version that an object tells, 0 where it tells none.
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
			return &HistoryError{
				Kind: ErrNewer, Files: []string{file.Name},
				Message: fmt.Sprintf("it installs version %d of the runtime; this pgretain writes version %s", version, sqlfiles.Version),
				Hint:    newerHint,
			}
		}
	}
	return nil
}
