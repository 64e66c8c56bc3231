package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// output is one file to be written.
type output struct {
	path, content string
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
	_, writeErr := t.WriteString(f.content)
	err = errors.Join(writeErr, t.Chmod(0o644), t.Sync(), t.Close())
	if err != nil {
		removeAll([]string{t.Name()})
	}
	return t.Name(), err
}

// removeAll cleans up; what is gone already is no fault.
func removeAll(names []string) {
	for _, name := range names {
		_ = os.Remove(name)
	}
}
