package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"pgretain/generator"
	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/install"
	"pgretain/internal/parallel"
	"pgretain/policy"
)

// project is a policy file that was read without errors.
type project struct {
	file    *policy.File
	sources map[string][]byte
	notes   diag.List // warnings

	compiled bool // the tables were read

	// compile sets the next three fields: the objects that the database of the tables should
	// contain, and the snapshot and the history from which they were compiled
	snapshot *catalog.Snapshot
	history  *generator.History
	objects  []generator.Object
}

// readProject reads and checks a policy file. The error is a *problems for faults of the policy,
// and an *install.Error for a file that cannot be read.
func readProject(path string) (*project, error) {
	source, err := readFile("policy file", path, `Name another file with --policy. "pgretain init" writes a first one.`)
	if err != nil {
		return nil, err
	}
	sources := map[string][]byte{path: source}
	file, list := policy.Parse(path, source)
	if list.HasErrors() {
		return nil, &problems{list, sources}
	}
	return &project{file: file, sources: sources, notes: list}, nil
}

// largestFile is the maximum size of a policy file, catalog snapshot or fleet file, in bytes.
const largestFile = 256 << 20

// readFile reads a file. It refuses a named pipe, device or socket, because reading could wait for
// a writer. It refuses a file larger than largestFile.
func readFile(what, path, hint string) (text []byte, err error) {
	if info, unknown := os.Stat(path); unknown == nil && !info.Mode().IsRegular() && !info.IsDir() {
		err = errors.New("it is not a regular file")
	} else if unknown == nil && info.Size() > largestFile {
		err = fmt.Errorf("it has more than %d MB", largestFile>>20)
	} else {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, unreadable(what, path, err, hint)
	}
	return text, nil
}

// The method "project" reads the policy file. If the file does not exist and --policy is not set,
// it returns a project without policies.
func (c *console) project() (*project, error) {
	if c.noPolicy() {
		return &project{file: &policy.File{Install: policy.DefaultInstall("")}}, nil
	}
	return readProject(c.Policy)
}

// noPolicy reports whether the policy file does not exist and --policy is not set.
func (c *console) noPolicy() bool { return !c.command.Flag("policy").Changed && missing(c.Policy) }

// missing reports whether no file has this name.
func missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

func unreadable(what, path string, err error, hint string) error {
	if system, ok := errors.AsType[*fs.PathError](err); ok {
		err = system.Err
	}
	return install.Refusal(fmt.Sprintf("could not read %s %s: %v", what, quoted(path), err), "", hint)
}

// readCatalog reads a snapshot, and returns nil if there is none.
func readCatalog(path string) (*catalog.Snapshot, error) {
	if missing(path) {
		return nil, nil
	}
	content, err := readFile("catalog snapshot", path, "Name another file with --catalog.")
	if err != nil {
		return nil, err
	}
	snapshot, err := catalog.Read(string(content))
	if err != nil {
		return nil, refuse("snapshot unreadable", fmt.Errorf("%s: %w", path, err))
	}
	return snapshot, nil
}

// read reads the policy file and the snapshot in parallel. It returns an error if one is missing.
func (f *flags) read() (*project, error) {
	reading := parallel.Start(func() (*catalog.Snapshot, error) { return readCatalog(f.catalogFile()) })
	p, err := readProject(f.Policy)
	if err == nil {
		p.snapshot, err = reading()
	}
	if err == nil && p.snapshot == nil {
		err = refuse("no snapshot", f.catalogFile())
	}
	return p, err
}

// compile reads the policy file, the snapshot and the migrations in parallel.
func (f *flags) compile() (*project, error) {
	history := parallel.Start(directory{f.Migrations, false}.history)
	p, err := f.read()
	if err == nil {
		p.history, err = history()
	}
	if err == nil {
		p.objects, err = p.compile(p.snapshot, p.history)
	}
	return p, err
}

// directory is a migration directory: of the tables' database, or of the database with schema cron.
type directory struct {
	Path string `json:"directory"`
	cron bool
}

// history reads the files of the directory. A directory that does not exist is empty.
func (d directory) history() (*generator.History, error) {
	s, err := d.past("", nil)
	return s.history, err
}

// past returns the history of the directory. It leaves out the side of a fork whose first file is
// listed in "heads". It also returns the names of the files that it left out. It refuses the
// migration directory of the other database.
func (d directory) past(format generator.Format, heads []string) (step, error) {
	history, removed, err := replay(d.Path, format, heads)
	switch {
	case err != nil:
	case !d.cron && history.OnlyCron():
		err = refuse("only jobs", d.Path)
	case d.cron && history.HasMore():
		err = refuse("more than jobs", d.Path)
	}
	return step{directory: d, history: history, Removed: append([]string{}, removed...)}, err
}

// replay reads a directory of either kind. If the directory cannot be read, replay returns an
// error. With an empty history instead, generate would generate everything again.
func replay(dir string, format generator.Format, heads []string) (*generator.History, []string, error) {
	if _, err := os.ReadDir(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, nil, unreadable("migration directory", dir, err, "Name another directory with --migrations.")
	}
	history, removed, err := generator.Rebase(os.DirFS(dir), format, heads, slices.Contains(heads, laterSide))
	return history, removed, inDirectory(dir, err)
}

// inDirectory adds the path of the file to an error about a migration directory.
func inDirectory(dir string, err error) error {
	contradiction, ok := errors.AsType[*generator.HistoryError](err)
	if !ok {
		return err
	}
	d := contradiction.Diagnostic()
	d.Position.File = filepath.Join(dir, d.Position.File)
	return &problems{list: diag.List{d}}
}

// compile returns the objects that the database should contain.
func (p *project) compile(snapshot *catalog.Snapshot, history *generator.History) ([]generator.Object, error) {
	objects, list := generator.Compile(p.file, snapshot, history)
	p.notes, p.compiled = append(p.notes, list...).Unique(), true
	if list.HasErrors() {
		return nil, &problems{p.notes, p.sources}
	}
	return objects, nil
}

// stepOptions returns how the files of a step are written. cron is true for the directory of the
// jobs in another database.
func (p *project) stepOptions(cron bool) generator.NextOptions {
	in := p.file.Install
	options := generator.NextOptions{Roles: in.Roles, SearchPath: in.Path(), Trust: in.Trust, Schema: in.Schema,
		Version: func(last int64) int64 { return generator.NextNumber(last, time.Now()) }}
	if cron {
		options.Cron, options.Schema = true, "" // jobs need no schema
	}
	return options
}

// explain adds the text of the policy file to an error that has a position in this file.
func (p *project) explain(err error) error {
	list := install.Diagnostics(err)
	ofPolicy := func(d diag.Diagnostic) bool { return p.sources[d.Position.File] != nil }
	if _, ok := errors.AsType[*generator.ObjectError](err); !ok && !slices.ContainsFunc(list, ofPolicy) {
		return err
	}
	return &problems{list, p.sources}
}

// output is one file to be written.
type output struct{ Path, text string }

func (o output) MarshalText() ([]byte, error) { return []byte(o.Path), nil }

// writeAll writes all files completely, or none. If replace is true, it replaces existing files;
// otherwise an existing file is an error.
func writeAll(files []output, replace bool) error { return exchange(nil, files, replace) }

// exchange writes files like writeAll, and removes old files. It attempts everything that can fail
// before it renames the first file. Until then the files have temporary names that no migration
// tool reads.
func exchange(old []string, files []output, replace bool) error {
	var fresh []string // in the same directory, so that a rename stays on one file system
	defer func() {
		for _, name := range fresh {
			_ = os.Remove(name) // a renamed file does not exist under this name
		}
	}()
	for _, path := range old {
		if _, err := os.Lstat(path); err != nil {
			return fmt.Errorf("removing %s: %w", path, err)
		}
	}
	for _, f := range files {
		if _, err := os.Lstat(f.Path); err == nil && !replace && !slices.Contains(old, f.Path) {
			return fmt.Errorf("writing %s: %w", f.Path, fs.ErrExist)
		}
		t, err := os.CreateTemp(filepath.Dir(f.Path), "."+filepath.Base(f.Path)+".*")
		if err == nil {
			fresh = append(fresh, t.Name())
			_, err = t.WriteString(f.text)
			err = errors.Join(err, t.Chmod(0o644), t.Sync(), t.Close())
		}
		if err != nil {
			return fmt.Errorf("writing %s: %w", f.Path, err)
		}
	}
	for i, f := range files {
		if err := os.Rename(fresh[i], f.Path); err != nil {
			return fmt.Errorf("writing %s: %w", f.Path, err)
		}
	}
	for _, path := range old {
		if slices.ContainsFunc(files, func(f output) bool { return f.Path == path }) {
			continue
		}
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("removing %s: %w", path, err)
		}
	}
	return nil
}
