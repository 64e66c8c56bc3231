package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// output is one file to be written, and its text in any number of pieces.
type output struct {
	path   string
	pieces []string
}

// writeAll writes files whole: all of them or none, and none in part. Replace allows a file
// to exist.
func writeAll(files []output, replace bool) error { return exchange(nil, files, replace) }

// exchange takes files out of their directories and writes others, as writeAll does, or leaves everything as it was.
func exchange(old []string, files []output, replace bool) error {
	var x swap
	err := x.try(old, files, replace)
	for _, name := range x.fresh {
		_ = os.Remove(name) // one that is in its place is gone from here
	}
	if err != nil {
		for _, undo := range slices.Backward(x.undo) {
			err = errors.Join(err, undo())
		}
		return err
	}
	for _, name := range x.aside {
		err = errors.Join(err, os.Remove(name))
	}
	return err
}

// swap is what an exchange has done up to now. What it takes out and what it writes has another name until the end,
// one that no migration tool reads.
type swap struct {
	aside, fresh []string
	undo         []func() error
}

func (x *swap) try(old []string, files []output, replace bool) error {
	for _, path := range old {
		aside, err := createBeside(path, func(t *os.File) error { return os.Rename(path, t.Name()) })
		if err != nil {
			return fmt.Errorf("removing %s: %w", path, err)
		}
		x.aside = append(x.aside, aside)
		x.undo = append(x.undo, func() error { return os.Rename(aside, path) })
	}
	for _, f := range files {
		if _, err := os.Lstat(f.path); !replace && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("writing %s: %w", f.path, cmp.Or(err, fs.ErrExist))
		}
		fresh, err := createBeside(f.path, func(t *os.File) error { return errors.Join(f.write(t), t.Chmod(0o644), t.Sync()) })
		if err != nil {
			return fmt.Errorf("writing %s: %w", f.path, err)
		}
		x.fresh = append(x.fresh, fresh)
	}
	for i, f := range files {
		if err := os.Rename(x.fresh[i], f.path); err != nil {
			return fmt.Errorf("writing %s: %w", f.path, err)
		}
		if !replace {
			x.undo = append(x.undo, func() error { return os.Remove(f.path) })
		}
	}
	return nil
}

// createBeside makes a file beside another one's place, so that a rename stays on one file system; fill does
// something with it.
func createBeside(path string, fill func(*os.File) error) (string, error) {
	t, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return "", err
	}
	if err := errors.Join(fill(t), t.Close()); err != nil {
		return "", errors.Join(err, os.Remove(t.Name()))
	}
	return t.Name(), nil
}

func (f output) write(to io.Writer) error {
	w := bufio.NewWriterSize(to, 1<<16)
	for _, piece := range f.pieces {
		_, _ = w.WriteString(piece) // Flush says it
	}
	return w.Flush()
}
