package generator

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// recognise is the tool that the generated files of dir were written for; wanted where there are
// none. Files of two tools, or of another one than wanted, are refused: their numbers and their records
// of what was applied have nothing to do with each other.
func recognise(dir fs.FS, wanted Format) (tool, error) {
	paths, err := fs.Glob(dir, "*.sql")
	if err != nil {
		return tool{}, fmt.Errorf("listing migrations: %w", err)
	}
	found, first := wanted, ""
	for _, path := range paths {
		text, err := headOf(dir, path)
		if err != nil || !strings.HasPrefix(text, firstLine+"\n") {
			continue // the user's, or what readFile will say
		}
		format := formatOf(text)
		if found != "" && format != found {
			return tool{}, formatError(first, path, found, format)
		}
		found, first = format, path
	}
	if found == "" {
		found = Goose
	}
	t, known := tools[found]
	if !known {
		return tool{}, unknownFormat(first, found)
	}
	return t, nil
}

// Recognise is the format of the generated files of dir, goose where there are none. The error is a
// *HistoryError where files of two tools are mixed.
func Recognise(dir fs.FS) (Format, error) {
	t, err := recognise(dir, "")
	return t.format, err
}

// Suggest is the tool that the user's own files of dir look written for, with one of them; "" where that
// is goose, or nobody can tell.
func Suggest(dir fs.FS) (Format, string) {
	paths, err := fs.Glob(dir, "*.sql")
	if err != nil {
		return "", ""
	}
	for _, path := range paths {
		if _, ok := flywayTool.number(path); ok {
			return Flyway, path
		}
		content, err := fs.ReadFile(dir, path)
		if _, ok := ternTool.number(path); ok && err == nil && strings.Contains(string(content), ternDownLine) {
			return Tern, path
		}
	}
	return "", ""
}

func formatError(first, path string, wanted, format Format) error {
	if first == "" {
		return &HistoryError{
			Kind: ErrFormat, Files: []string{path},
			Message: fmt.Sprintf("the directory holds migrations for %s, not for %s", format, wanted),
			Hint:    fmt.Sprintf("Leave --format out, or name an empty directory for %s with --migrations.", wanted),
		}
	}
	return &HistoryError{
		Kind: ErrFormat, Files: []string{first, path},
		Message: fmt.Sprintf("%s is written for %s, this file for %s", first, wanted, format),
		Hint:    "Keep in the directory the files of the tool that has been applied; the other tool's belong into another one.",
	}
}

func unknownFormat(path string, format Format) error {
	if path == "" {
		return fmt.Errorf("reading migrations: there is no format %q", format)
	}
	return &HistoryError{
		Kind: ErrMalformed, Files: []string{path}, Message: fmt.Sprintf("it is written for %q", format),
		Hint: "The file may come from a newer pgretain; use the version that wrote it, or a later one.",
	}
}

// readBack reads the file with the way back of m.
func (dir sideDir) readBack(m Migration) (*migrationFile, error) {
	name := dir.tool.downName(m.Name)
	back, err := dir.readWay(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, halfError(m.Name, name, name+", the way back of this migration, is missing")
	case err != nil:
		return nil, err
	case back == nil || back.State != m.State || back.After != m.After:
		return nil, editedError(name, "this is not the way back of "+m.Name)
	}
	return back, nil
}

// checkBeside looks at the file that configures a migration: without it the tool would run the
// migration in another way than it was written for.
func (dir sideDir) checkBeside(name, content string) error {
	if dir.tool.beside == nil {
		return nil
	}
	want := dir.tool.beside(name, content)
	got, err := fs.ReadFile(dir.FS, name+".conf")
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case missing && want != "":
		return halfError(name, name+".conf", name+".conf, by which this migration is run, is missing")
	case err != nil && !missing:
		return fmt.Errorf("reading %s: %w", name+".conf", err)
	case unixLines(string(got)) != want:
		return editedError(name+".conf", "this is not the configuration that "+name+" was generated with")
	}
	return nil
}

// checkAlone refuses a way back that nobody can go: its migration has gone.
func (dir sideDir) checkAlone() error {
	paths, err := fs.Glob(dir.FS, "*.sql")
	if err != nil || !dir.tool.separate() {
		return err
	}
	wanted := map[string]bool{}
	for _, path := range paths {
		if _, ok := dir.tool.number(path); ok {
			wanted[path], wanted[dir.tool.downName(path)] = true, true
		}
	}
	for _, path := range paths {
		if !wanted[path] && dir.isOurs(path) {
			return halfError(path, path, "the migration that this file takes back is missing")
		}
	}
	return nil
}

// companions are the files that stand beside a migration of ours: its way back, and what configures both.
func (dir sideDir) companions(name string) []string {
	if !dir.tool.separate() {
		return nil
	}
	var names []string
	for _, other := range []string{dir.tool.downName(name), name + ".conf", dir.tool.downName(name) + ".conf"} {
		if _, err := fs.Stat(dir.FS, other); err == nil {
			names = append(names, other)
		}
	}
	return names
}

func halfError(file, missing, message string) error {
	files := []string{missing, file}
	if missing == file {
		files = files[:1]
	}
	return &HistoryError{Kind: ErrHalf, Files: files, Message: message, Hint: gapHint}
}

func editedError(name, message string) error {
	return &HistoryError{Kind: ErrEdited, Files: []string{name}, Message: message, Hint: restoreHint}
}

// gap explains a number that nobody has, where the tool wants all of them.
func gap(t tool, before []numbered, n numbered) error {
	files := []string{n.name}
	if len(before) > 0 {
		files = []string{before[len(before)-1].name, n.name}
	}
	return &HistoryError{
		Kind: ErrGap, Files: files,
		Message: fmt.Sprintf("number %d is missing, and %s refuses a gap", len(before)+1, t.format),
		Hint:    gapHint,
	}
}
