package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pgretain/generator"
	"pgretain/internal/install"
)

// formatFlag is the value of generate --format, "" where it is not given.
type formatFlag string

// check refuses a format that nobody writes.
func (f formatFlag) check() error {
	if f == "" || slices.Contains(generator.Formats, generator.Format(f)) {
		return nil
	}
	return &usageError{"--format must be goose, tern, flyway or psql, got " + quoted(string(f))}
}

// checkOwn asks for --format where the directory holds nothing of ours, but files of another tool than
// goose: the first step would be written for a tool that the project does not use.
func (f formatFlag) checkOwn(history *generator.History, dir string) error {
	if f != "" || len(history.Files()) > 0 {
		return nil
	}
	other, file := generator.Suggest(os.DirFS(dir))
	if other == "" {
		return nil
	}
	return &usageError{fmt.Sprintf("%s looks like a migration for %s: say --format %s, or --format goose if it is not",
		filepath.Join(dir, file), other, other)}
}

// onlyGoose refuses a directory that another tool applies, with that tool's own command.
func (m migration) onlyGoose(verb string) error {
	format, err := generator.Recognise(os.DirFS(m.migrations))
	if err != nil {
		return inDirectory(m.migrations, err)
	}
	if format == generator.Goose {
		return nil
	}
	history, err := readHistory(m.migrations)
	if err != nil {
		return err
	}
	step := history.LastStep()
	if m.all {
		step = history.Files()
	}
	return &install.CheckError{
		Message: fmt.Sprintf("%s holds migrations for %s, which pgretain does not apply", quoted(m.migrations), format),
		Hint:    command(format, verb, m.migrations, step),
	}
}

// command tells how another tool goes up, down by step, or lists what is applied.
func command(format generator.Format, verb, dir string, step []generator.Migration) string {
	dir = shellWord(dir)
	switch format {
	case generator.Tern:
		return ternCommand(verb, dir, len(step))
	case generator.Flyway:
		return flywayCommand(verb, dir, step[0].Version)
	}
	return psqlCommand(verb, dir, step)
}

func ternCommand(verb, dir string, files int) string {
	switch verb {
	case "up":
		return "Run \"tern migrate --migrations " + dir + "\"."
	case "down":
		return fmt.Sprintf("Run \"tern migrate --migrations %s --destination -%d\": so many files has it, if the last one is applied.", dir, files)
	}
	return "Run \"tern status --migrations " + dir + "\"."
}

func flywayCommand(verb, dir string, first int64) string {
	flyway := "\"flyway -locations=filesystem:" + dir + " "
	switch verb {
	case "up":
		return "Run " + flyway + "-postgresql.transactional.lock=false migrate\"."
	case "down":
		return fmt.Sprintf("Run %s-postgresql.transactional.lock=false -target=%d undo\", if your edition of flyway has undo; "+
			"else have psql run the U files, latest first.", flyway, first)
	}
	return "Run " + flyway + "info\"."
}

func psqlCommand(verb, dir string, step []generator.Migration) string {
	var files []string
	for _, m := range step {
		files = append(files, " -f "+dir+"/"+m.Name)
	}
	switch verb {
	case "up":
		return "Run the scripts that this database has not seen, in order; those of the last step: " +
			"\"psql -X -v ON_ERROR_STOP=1" + strings.Join(files, "") + "\"."
	case "down":
		slices.Reverse(files)
		down := strings.ReplaceAll(strings.Join(files, ""), ".up.sql", ".down.sql")
		return "Run \"psql -X -v ON_ERROR_STOP=1" + down + "\", if the last script is applied."
	}
	return "psql keeps no record; \"pgretain verify\" says what the database lacks."
}

// shellWord quotes a path where a shell would not take it as one word.
func shellWord(path string) string {
	path = filepath.Clean(path)
	if strings.ContainsAny(path, " '\"\\$`&;|<>()*?[]#~!") {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}
