package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/install"
	"pgretain/internal/pgparse"
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

// output is one file to be written, and its text in any number of pieces.
type output struct {
	path   string
	pieces []string
}

// writeAll writes files whole: all of them or none, and never half of one. Replace allows a file
// to exist.
func writeAll(files []output, replace bool) error {
	var temporary, written []string
	defer func() { removeAll(temporary) }()
	for _, f := range files {
		if err := vacant(f.path, replace); err != nil {
			return err
		}
		name, err := writeTemporary(f)
		if err != nil {
			return fmt.Errorf("writing %s: %w", f.path, err)
		}
		temporary = append(temporary, name)
	}
	for i, f := range files {
		if err := os.Rename(temporary[i], f.path); err != nil {
			if !replace {
				removeAll(written)
			}
			return fmt.Errorf("writing %s: %w", f.path, err)
		}
		written = append(written, f.path)
	}
	return nil
}

// vacant refuses to write over a file.
func vacant(path string, replace bool) error {
	_, err := os.Lstat(path)
	switch {
	case replace || errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil:
		return fmt.Errorf("writing %s: %w", path, fs.ErrExist)
	}
	return fmt.Errorf("writing %s: %w", path, err)
}

// writeTemporary writes beside the file's place, so that the rename stays on one file system.
func writeTemporary(f output) (name string, err error) {
	t, err := os.CreateTemp(filepath.Dir(f.path), "."+filepath.Base(f.path)+".*")
	if err != nil {
		return "", err
	}
	err = errors.Join(f.write(t), t.Chmod(0o644), t.Sync(), t.Close())
	if err != nil {
		removeAll([]string{t.Name()})
	}
	return t.Name(), err
}

func (f output) write(to io.Writer) error {
	w := bufio.NewWriterSize(to, 1<<16)
	for _, piece := range f.pieces {
		_, _ = w.WriteString(piece) // Flush says it
	}
	return w.Flush()
}

// removeAll cleans up; what is gone already is no fault.
func removeAll(names []string) {
	for _, name := range names {
		_ = os.Remove(name)
	}
}

// mention is a table's name where the policy file first has it.
type mention struct {
	name     string
	position diag.Position
	created  bool // by the policy, where it is missing
}

// mentions collects every table that a policy file names, in YAML or in SQL, once each.
type mentions struct {
	list    []mention
	seen    map[string]bool
	runtime string // the schema whose tables migrations make, and no snapshot holds
}

// tablesOf lists the tables of a file in the order of their first mention.
func tablesOf(file *policy.File) []mention {
	m := &mentions{seen: map[string]bool{}, runtime: file.Install.Schema}
	for _, t := range file.Protect {
		m.table(t)
	}
	for _, p := range file.Policies {
		m.policy(p)
	}
	for _, report := range file.Reports {
		for _, part := range report.Parts() {
			m.sql(part)
		}
	}
	return m.list
}

func (m *mentions) add(name string, at diag.Position) {
	if !m.seen[name] {
		m.seen[name] = true
		m.list = append(m.list, mention{name: name, position: at})
	}
}

func (m *mentions) table(t policy.Table) { m.add(t.String(), t.Position) }

// created notes that a table need not be there yet.
func (m *mentions) created(use policy.Use) {
	for i := range m.list {
		if use.Created && m.list[i].name == use.Table.String() {
			m.list[i].created = true
		}
	}
}

func (m *mentions) policy(p *policy.Policy) {
	for _, use := range p.Uses() {
		m.table(use.Table)
		m.created(use)
	}
	for _, part := range p.Parts() {
		m.sql(part)
	}
}

// sql adds the tables of a piece of SQL; it was parsed when the file was read, so that an error
// cannot happen here.
func (m *mentions) sql(part policy.Part) {
	expr, err := part.Parse()
	if err != nil {
		return
	}
	for _, t := range expr.Tables {
		if known := t.Schema == "pg_catalog" || t.Schema == "information_schema" || t.Schema == m.runtime; !known && !reserved(t) {
			m.add(strings.TrimPrefix(t.Schema+"."+t.Name, "."), part.Expr.Position)
		}
	}
}

// reserved are names that the language gives to relations of its own.
func reserved(t pgparse.TableRef) bool {
	return t.Schema == "" && (t.Name == "batch" || t.Name == "partition")
}
