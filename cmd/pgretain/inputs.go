package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/install"
	"pgretain/policy"
)

// project is a policy file that was read without errors.
type project struct {
	file    *policy.File
	sources map[string][]byte
	notes   diag.List // warnings

	compiled bool // the tables were looked at
}

// readProject reads and checks a policy file. A file that cannot be read is an error of its own
// kind, because nothing was found wrong with the policy.
func readProject(path string) (*project, error) {
	source, err := os.ReadFile(path)
	if err != nil {
		return nil, unreadable("policy file", path, err, "Name another file with --policy.")
	}
	sources := map[string][]byte{path: source}
	file, list := policy.Parse(path, source)
	if list.HasErrors() {
		return nil, &problems{list, sources}
	}
	return &project{file: file, sources: sources, notes: list}, nil
}

func unreadable(what, path string, err error, hint string) error {
	var system *fs.PathError
	if errors.As(err, &system) {
		err = system.Err
	}
	return &install.CheckError{Message: fmt.Sprintf("cannot read %s %s: %v", what, quoted(path), err), Hint: hint}
}

// readCatalog reads a snapshot; nil when there is none.
func readCatalog(path string) (*catalog.Snapshot, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable("catalog snapshot", path, err, "Name another file with --catalog.")
	}
	defer f.Close()
	snapshot, err := catalog.Read(f)
	if err != nil {
		return nil, &install.CheckError{
			Message: fmt.Sprintf("%s: %v", path, err), Hint: `Write it again with "pgretain snapshot".`,
		}
	}
	return snapshot, nil
}

// requireCatalog is readCatalog for verbs that cannot do without.
func requireCatalog(path string) (*catalog.Snapshot, error) {
	snapshot, err := readCatalog(path)
	if err == nil && snapshot == nil {
		err = &install.CheckError{
			Message: "there is no catalog snapshot " + quoted(path),
			Detail:  "It says which columns, keys and indexes the tables of the policy have.",
			Hint:    `Write it with "pgretain snapshot", from a database or with --schema schema.sql.`,
		}
	}
	return snapshot, err
}

// readHistory replays a migration directory; one that does not exist yet is empty. One that
// cannot be read must not look empty: everything would be generated anew.
func readHistory(dir string) (*generator.History, error) {
	if err := readable(dir); err != nil {
		return nil, err
	}
	history, err := generator.Read(os.DirFS(dir))
	return history, inDirectory(dir, err)
}

// readTables is readHistory for the database of the tables.
func readTables(dir string) (*generator.History, error) {
	history, err := readHistory(dir)
	if err != nil {
		return nil, err
	}
	return history, onlyTables(history, dir)
}

// readCron is readHistory for the database where schema cron lives.
func readCron(dir string) (*generator.History, error) {
	history, err := readHistory(dir)
	if err != nil {
		return nil, err
	}
	return history, onlyJobs(history, dir)
}

// onlyTables refuses the directory of the jobs.
func onlyTables(history *generator.History, dir string) error {
	if !history.OnlyCron() {
		return nil
	}
	return &install.CheckError{
		Message: quoted(dir) + " holds jobs only: it is for the database where schema cron lives",
		Hint:    "Name the directory of the tables' database with --migrations, or apply this one with --cron.",
	}
}

// onlyJobs refuses the directory of the tables.
func onlyJobs(history *generator.History, dir string) error {
	if !history.HasMore() {
		return nil
	}
	return &install.CheckError{
		Message: quoted(dir) + " holds more than jobs: it is for the database of the tables",
		Hint:    "Name the directory of the jobs with --cron-migrations.",
	}
}

// compile turns the project into the objects that the database should hold.
func (p *project) compile(snapshot *catalog.Snapshot, history *generator.History) ([]generator.Object, error) {
	objects, list := generator.Compile(p.file, snapshot, history)
	p.notes, p.compiled = append(p.notes, list...).Unique(), true
	if list.HasErrors() {
		return nil, &problems{p.notes, p.sources}
	}
	return objects, nil
}

// nextOptions says how migrations of the project are written.
func (p *project) nextOptions() generator.NextOptions {
	path := append([]string{"pg_catalog"}, p.file.Install.SearchPath...)
	return generator.NextOptions{
		Roles: p.file.Install.Roles, SearchPath: append(path, "pg_temp"), Schema: p.file.Install.Schema,
	}
}

func quoted(text string) string { return strconv.Quote(text) }

// plural counts things.
func plural(n int, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case thing == "policy":
		return count(int64(n)) + " policies"
	}
	return count(int64(n)) + " " + thing + "s"
}

// count writes a number with a comma between thousands.
func count(n int64) string {
	digits := strconv.FormatInt(n, 10)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(digits) - 3; i > start; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
