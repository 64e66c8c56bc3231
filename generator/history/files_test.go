package history_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"pgretain/generator"
)

// TestOddFilesOfADirectory: no reader of a directory of migrations opens what is not a file of a
// usual size.
func TestOddFilesOfADirectory(t *testing.T) {
	t.Parallel()
	readers := map[string]func(string) error{
		"Read": func(dir string) error { _, err := generator.Read(os.DirFS(dir)); return err },
		"Rebase": func(dir string) error {
			_, _,
				err := generator.Rebase(os.DirFS(dir), "", nil, false)
			return err
		},
		"Recognise": func(dir string) error { _, err := generator.Recognise(os.DirFS(dir)); return err },
		"Suggest": func(dir string) error {
			if format, _ := generator.Suggest(os.DirFS(dir)); format != "" {
				t.Error("it says whose files these are")
			}
			return nil
		},
	}
	secret := filepath.Join(t.TempDir(), "secret.sql")
	if err := os.WriteFile(secret, []byte("V1__ of somebody else"), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, make := range map[string]func(string) error{
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
			if err := make(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
			for reader, read := range readers {
				if err := read(dir); err == nil && reader != "Suggest" {
					t.Errorf("%s reads a %s called %s", reader, what, name)
				}
			}
		}
	}
}
