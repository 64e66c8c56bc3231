package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"pgretain/generator"
	"pgretain/internal/diag"
)

// laterSide is what --rebase means without a file. No migration has this name.
const laterSide = "later"

// side is the value of --rebase.
type side []string

// split tells apart whether --rebase was given without a file, and the files that it was given with.
func (s side) split(dir string) (files []string, later bool, err error) {
	for _, value := range s {
		if value == laterSide {
			later = true
			continue
		}
		base := filepath.Base(value)
		if value != base && filepath.Clean(value) != filepath.Join(dir, base) {
			return nil, false, &usageError{fmt.Sprintf("--rebase=%s is not a file of %s", value, dir)}
		}
		files = append(files, base)
	}
	return files, later, nil
}

// of are the values for one of the directories: a path leads into that of the jobs or, like a bare name,
// into the other one; the later side is meant in both.
func (s side) of(cronDirectory string, cron bool) side {
	var list side
	for _, value := range s {
		if value == laterSide || cron == (filepath.Dir(value) == filepath.Clean(cronDirectory)) {
			list = append(list, value)
		}
	}
	return list
}

// rebased reads a migration directory without the sides that are to be written again.
func rebased(dir string, format generator.Format, s side) (*generator.History, []string, error) {
	files, later, err := s.split(dir)
	if err != nil {
		return nil, nil, err
	}
	if err := readable(dir); err != nil {
		return nil, nil, err
	}
	history, removed, err := generator.Rebase(os.DirFS(dir), format, files, later)
	return history, removed, inDirectory(dir, err)
}

// warnRebased says what has to be true of the files that a rebase takes out.
func (c *console) warnRebased(removed []string, dir string, written bool) {
	if len(removed) == 0 {
		return
	}
	verb := "would be removed"
	if written {
		verb = "removed"
	}
	c.show(diag.List{{Severity: diag.Warning,
		Message: fmt.Sprintf("%s from %s: %s", verb, dir, strings.Join(removed, ", ")),
		Detail:  "They must not have been applied anywhere. What they did is in the new step, as far as the policy still wants it.",
		Hint: "A database that has them applied: run \"pgretain migrate down\" there, in a checkout that still has " +
			"these files, before the new step is applied.",
	}}, nil)
}

// exchange takes files out of their directory and writes others, or leaves everything as it was.
func exchange(old []string, files []output) error {
	aside, err := setAside(old)
	if err == nil {
		err = writeAll(files, false)
	}
	if err != nil {
		return errors.Join(err, putBack(aside))
	}
	for _, f := range aside {
		err = errors.Join(err, os.Remove(f.aside))
	}
	return err
}

// moved is a file under another name in its directory, one that no migration tool reads.
type moved struct{ path, aside string }

func setAside(paths []string) (done []moved, err error) {
	for _, path := range paths {
		t, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
		if err != nil {
			return done, fmt.Errorf("removing %s: %w", path, err)
		}
		err = errors.Join(t.Close(), os.Rename(path, t.Name()))
		if err != nil {
			removeAll([]string{t.Name()})
			return done, fmt.Errorf("removing %s: %w", path, err)
		}
		done = append(done, moved{path, t.Name()})
	}
	return done, nil
}

func putBack(files []moved) (err error) {
	for _, f := range files {
		err = errors.Join(err, os.Rename(f.aside, f.path))
	}
	return err
}

// readable refuses a directory that exists and cannot be read.
func readable(dir string) error {
	if _, err := os.ReadDir(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return unreadable("migration directory", dir, err, "Name another directory with --migrations.")
	}
	return nil
}

// inDirectory shows what is wrong with a migration directory, with the path of the file.
func inDirectory(dir string, err error) error {
	var contradiction *generator.HistoryError
	if !errors.As(err, &contradiction) {
		return err
	}
	d := contradiction.Diagnostic()
	d.Position.File = filepath.Join(dir, d.Position.File)
	return &problems{list: diag.List{d}}
}
