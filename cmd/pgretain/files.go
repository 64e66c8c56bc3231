package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// output is one file to be written.
type output struct{ path, text string }

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
		_, err := os.Lstat(f.path)
		if errors.Is(err, fs.ErrNotExist) || replace || slices.Contains(old, f.path) {
			var t *os.File
			if t, err = os.CreateTemp(filepath.Dir(f.path), "."+filepath.Base(f.path)+".*"); err == nil {
				fresh = append(fresh, t.Name())
				_, err = t.WriteString(f.text)
				err = errors.Join(err, t.Chmod(0o644), t.Sync(), t.Close())
			}
		} else {
			err = cmp.Or(err, fs.ErrExist)
		}
		if err != nil {
			return fmt.Errorf("writing %s: %w", f.path, err)
		}
	}
	for i, f := range files {
		if err := os.Rename(fresh[i], f.path); err != nil {
			return fmt.Errorf("writing %s: %w", f.path, err)
		}
	}
	for _, path := range old {
		if slices.ContainsFunc(files, func(f output) bool { return f.path == path }) {
			continue
		}
		if err := os.Remove(path); err != nil {
			return fmt.Errorf("removing %s: %w", path, err)
		}
	}
	return nil
}
