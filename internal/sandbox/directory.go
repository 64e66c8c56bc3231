package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// socketLimit is the longest path of a unix socket: sun_path has 108 bytes on Linux, 104 on the
// BSDs, one of them the closing zero.
const socketLimit = 103

// makeDir makes the private directory of one server. Trust authentication is safe because
// nobody but the account and root can enter it.
func makeDir(under string, account account) (string, error) {
	places := []string{under}
	if under == "" {
		places = []string{os.TempDir(), "/tmp"}
	}
	var problems []error
	for _, place := range places {
		dir, err := makeDirIn(place, account)
		if err == nil {
			return dir, nil
		}
		problems = append(problems, err)
	}
	return "", fmt.Errorf("making a temporary directory: %w", errors.Join(problems...))
}

func makeDirIn(place string, account account) (string, error) {
	place, err := filepath.Abs(place)
	if err != nil {
		return "", err
	}
	for dir := place; ; dir = filepath.Dir(dir) {
		if !account.enters(dir) {
			return "", fmt.Errorf("the server's user cannot enter %s", dir)
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	dir, err := os.MkdirTemp(place, "pgretain-")
	if err != nil {
		return "", err
	}
	if err := prepareDir(dir, account); err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, nil
}

func prepareDir(dir string, account account) error {
	if socket := filepath.Join(dir, ".s.PGSQL."+port); len(socket) > socketLimit {
		return fmt.Errorf("the socket's path %s is longer than %d bytes", socket, socketLimit)
	}
	return account.own(dir)
}

// tail reads at most the last size bytes of a file; "" when it cannot be read.
func tail(path string, size int64) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > size {
		if _, err := f.Seek(-size, io.SeekEnd); err != nil {
			return ""
		}
	}
	text, _ := io.ReadAll(f) // a part is better than nothing in a message
	return string(text)
}
