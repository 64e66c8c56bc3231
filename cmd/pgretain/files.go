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

// exchange writes files as writeAll does, and takes others out of their directories. Whatever may be refused is tried
// before the first file is in its place: until then what is written has another name, one that no migration tool reads.
func exchange(old []string, files []output, replace bool) error {
	var fresh []string
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
		if _, err := os.Lstat(f.path); !replace && !slices.Contains(old, f.path) && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("writing %s: %w", f.path, cmp.Or(err, fs.ErrExist))
		}
		name, err := f.writeBeside()
		if name != "" {
			fresh = append(fresh, name)
		}
		if err != nil {
			return fmt.Errorf("writing %s: %w", f.path, err)
		}
	}
	for i, f := range files {
		if err := os.Rename(fresh[i], f.path); err != nil {
			return fmt.Errorf("writing %s: %w", f.path, err)
		}
		old = slices.DeleteFunc(slices.Clone(old), func(path string) bool { return path == f.path })
	}
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("removing %s: %w", path, err)
		}
	}
	return nil
}

// writeBeside writes the file under another name beside its place, so that a rename stays on one file system.
func (f output) writeBeside() (string, error) {
	t, err := os.CreateTemp(filepath.Dir(f.path), "."+filepath.Base(f.path)+".*")
	if err != nil {
		return "", err
	}
	return t.Name(), errors.Join(f.write(t), t.Chmod(0o644), t.Sync(), t.Close())
}

func (f output) write(to io.Writer) error {
	w := bufio.NewWriterSize(to, 1<<16)
	for _, piece := range f.pieces {
		_, _ = w.WriteString(piece) // Flush says it
	}
	return w.Flush()
}
