package history_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"pgretain/generator"
)

// TestReadersRefuseUnusualFiles checks that no reader of a migration directory opens a link, a
// named pipe, a device, a directory or a very large file that is named like a migration.
func TestReadersRefuseUnusualFiles(t *testing.T) {
	t.Parallel()
	readers := map[string]func(string) error{
		"Read": func(dir string) error { _, err := generator.Read(os.DirFS(dir)); return err },
		"Rebase": func(dir string) error {
			_, _, err := generator.Rebase(os.DirFS(dir), "", nil, false)
			return err
		},
		"Recognise": func(dir string) error { _, err := generator.Recognise(os.DirFS(dir)); return err },
		"Suggest": func(dir string) error {
			if format, _ := generator.Suggest(os.DirFS(dir)); format != "" {
				t.Errorf("Suggest returns %q for an unusual file", format)
			}
			return nil
		},
	}
	secret := filepath.Join(t.TempDir(), "secret.sql")
	if err := os.WriteFile(secret, []byte("V1__ of somebody else"), 0o600); err != nil {
		t.Fatal(err)
	}
	for kind, create := range map[string]func(string) error{
		"link to a file":   func(path string) error { return os.Symlink(secret, path) },
		"link to nothing":  func(path string) error { return os.Symlink("nowhere", path) },
		"link to a device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"named pipe":       func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"directory":        func(path string) error { return os.Mkdir(path, 0o700) },
		"gigabytes": func(path string) error {
			f, err := os.Create(path)
			if err == nil {
				err = f.Truncate(8 << 30) // sparse
			}
			return err
		},
	} {
		for _, name := range []string{"00001_a.sql", "V1__a.sql.conf", "00002_b.go", "V3__c.sql"} {
			dir := t.TempDir()
			if err := create(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
			for reader, read := range readers {
				if err := read(dir); err == nil && reader != "Suggest" {
					t.Errorf("%s accepts a %s with the name %s", reader, kind, name)
				}
			}
		}
	}
}
