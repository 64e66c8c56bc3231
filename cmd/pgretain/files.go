package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

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
