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

	compiled bool // the tables were looked at

	// With compile: the objects that the database of its tables should hold, and what these were concluded from.
	snapshot *catalog.Snapshot
	history  *generator.History
	objects  []generator.Object
}

// readProject reads and checks a policy file. A file that cannot be read is an error of its own
// kind, because nothing was found wrong with the policy.
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

// largestFile is how many bytes a policy file, a catalog snapshot or a fleet file may have.
const largestFile = 256 << 20

// readFile refuses a named pipe, a device or a socket, as the readers of migrations do: reading it would wait for a writer.
// It refuses a file that does not fit into memory.
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

// project reads the policy file; one without policies where there is none, and none was named.
func (c *console) project() (*project, error) {
	if c.noPolicy() {
		return &project{file: &policy.File{Install: policy.DefaultInstall("")}}, nil
	}
	return readProject(c.Policy)
}

// noPolicy says whether there is no policy file, and none was named.
func (c *console) noPolicy() bool { return !c.command.Flag("policy").Changed && missing(c.Policy) }

// missing says whether there is no file of this name.
func missing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

func unreadable(what, path string, err error, hint string) error {
	if system, ok := errors.AsType[*fs.PathError](err); ok {
		err = system.Err
	}
	return install.Refusal(fmt.Sprintf("cannot read %s %s: %v", what, quoted(path), err), "", hint)
}

// readCatalog reads a snapshot; nil when there is none.
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

// read is for verbs that need the policy file and the snapshot: it reads both at once.
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

// compile reads policy file, snapshot and migrations at once.
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

// directory is a migration directory: of the tables' database, or of the one where schema cron lives.
type directory struct {
	Path string `json:"directory"`
	cron bool
}

// history replays the directory; one that does not exist yet is empty.
func (d directory) history() (*generator.History, error) {
	s, err := d.past("", nil)
	return s.history, err
}

// past is the history without the sides of forks that begin with one of heads, and the names of what is left out.
// A directory that is for the other database is refused.
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

// replay reads a directory of either kind. One that cannot be read must not look empty: everything would be
// generated anew.
func replay(dir string, format generator.Format, heads []string) (*generator.History, []string, error) {
	if _, err := os.ReadDir(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, nil, unreadable("migration directory", dir, err, "Name another directory with --migrations.")
	}
	history, removed, err := generator.Rebase(os.DirFS(dir), format, heads, slices.Contains(heads, laterSide))
	return history, removed, inDirectory(dir, err)
}

// inDirectory shows what is wrong with a migration directory, with the path of the file.
func inDirectory(dir string, err error) error {
	contradiction, ok := errors.AsType[*generator.HistoryError](err)
	if !ok {
		return err
	}
	d := contradiction.Diagnostic()
	d.Position.File = filepath.Join(dir, d.Position.File)
	return &problems{list: diag.List{d}}
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

// next writes the files that bring a directory from its history to what is wanted of it.
func (p *project) next(history *generator.History, wanted []generator.Object, cron bool) ([]generator.File, error) {
	in := p.file.Install
	options := generator.NextOptions{Roles: in.Roles, SearchPath: in.Path(), Trust: in.Trust, Schema: in.Schema,
		Version: func(last int64) int64 { return nextNumber(last, time.Now()) }}
	if cron {
		options.Cron, options.Schema = true, "" // jobs need none
	}
	files, err := generator.Next(history, wanted, options)
	return files, p.explain(err)
}

// explain shows with the source of the policy what is wrong with a line of it.
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

// writeAll writes files whole: all of them or none, and none in part. Replace allows a file
// to exist.
func writeAll(files []output, replace bool) error { return exchange(nil, files, replace) }

// exchange writes files as writeAll does, and takes others out of their directories. Whatever may be refused is tried
// before the first file is in its place: until then what is written has another name, one that no migration tool reads.
func exchange(old []string, files []output, replace bool) error {
	var fresh []string // beside their places, so that a rename stays on one file system
	defer func() {
		for _, name := range fresh {
			_ = os.Remove(name) // one that is in its place is gone from here
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
