package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"pgretain/generator"
	"pgretain/internal/diag"
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

// table prints aligned columns; a name that begins with ">" is aligned to the right.
type table struct {
	columns []string
	rows    [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) print(w io.Writer) {
	widths := make([]int, len(t.columns))
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = strings.TrimPrefix(c, ">")
	}
	for _, row := range append([][]string{names}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range append([][]string{names}, t.rows...) {
		fmt.Fprintln(w, strings.TrimRight(t.line(row, widths), " "))
	}
}

func (t *table) line(row []string, widths []int) string {
	parts := make([]string, len(row))
	for i, cell := range row {
		space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if strings.HasPrefix(t.columns[i], ">") {
			parts[i] = space + cell
		} else {
			parts[i] = cell + space
		}
	}
	return strings.Join(parts, "  ")
}

// The rules for everything a person reads: results go to out; everything else goes to err, in the
// form of package diag, with "pgretain:" in front of what has no place in a file. No capital at
// the beginning of a message and no full stop at its end; details and hints are whole sentences.
type console struct {
	out, err io.Writer
}

// printf writes a part of the result.
func (c *console) printf(format string, args ...any) { fmt.Fprintf(c.out, format, args...) }

// notef tells what happens, to people only.
func (c *console) notef(format string, args ...any) { fmt.Fprintf(c.err, format, args...) }

// show writes diagnostics.
func (c *console) show(list diag.List, sources map[string][]byte) {
	if len(list) > 0 {
		_ = list.Render(c.err, sources, isTerminal(c.err) && os.Getenv("NO_COLOR") == "") // nowhere else to say it
	}
}

// isTerminal says whether a person looks at w.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// exitCode ends the program without a message; whoever returns it has said everything.
type exitCode int

func (e exitCode) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// usageError is a command line that makes no sense.
type usageError struct{ message string }

func (e *usageError) Error() string { return e.message }

// problems are diagnostics that end the program with exit code 1.
type problems struct {
	list    diag.List
	sources map[string][]byte
}

func (p *problems) Error() string { return fmt.Sprintf("%d problems", len(p.list)) }

// exit reports err and turns it into an exit code.
func (c *console) exit(command *cobra.Command, err error) int {
	var code exitCode
	var usage *usageError
	var found *problems
	var check *install.CheckError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &found):
		c.show(found.list, found.sources)
		return 1
	case errors.As(err, &usage):
		c.show(diag.List{{Severity: diag.Error, Message: usage.message,
			Hint: fmt.Sprintf("Run \"%s --help\".", command.CommandPath())}}, nil)
	case errors.Is(err, context.Canceled) && !errors.As(err, &check):
		c.show(diag.List{{Severity: diag.Error, Message: "interrupted"}}, nil)
	default:
		c.show(install.Diagnostics(err), nil)
	}
	return 2
}

// timestamp is the form of numbers that say when a file was written, in UTC: 14 digits.
const timestamp = "20060102150405"

// numbering says what follows the last number of a directory. Style is "sequential", "timestamp", or
// "" for what the directory uses.
type numbering struct {
	style string
	now   func() time.Time
}

// check refuses a style that is unknown, or that is not that of the directory.
func (n numbering) check(history *generator.History, dir string) error {
	if n.style != "" && n.style != "sequential" && n.style != "timestamp" {
		return &usageError{"--numbers must be sequential or timestamp, got " + quoted(n.style)}
	}
	if last := history.Last(); last > 0 && n.style != "" && (n.style == "timestamp") != isTimestamp(last) {
		return &usageError{fmt.Sprintf("--numbers %s is for an empty directory; the last number of %s is %d", n.style, dir, last)}
	}
	if n.style == "timestamp" && history.Format() == generator.Tern {
		return &usageError{"--numbers timestamp is not for tern, which wants numbers without gaps"}
	}
	return nil
}

// next comes after previous, also where the clock is behind it.
func (n numbering) next(previous int64) int64 {
	if !isTimestamp(previous) && (previous > 0 || n.style != "timestamp") {
		return previous + 1
	}
	return max(number(n.now().UTC()), secondAfter(previous))
}

func isTimestamp(number int64) bool { return len(strconv.FormatInt(number, 10)) == len(timestamp) }

// secondAfter is one more where previous is no instant, 61 seconds past the minute for example.
func secondAfter(previous int64) int64 {
	at, err := time.Parse(timestamp, strconv.FormatInt(previous, 10))
	if err != nil {
		return previous + 1
	}
	return number(at.Add(time.Second))
}

// number writes an instant as one number.
func number(at time.Time) int64 {
	n, err := strconv.ParseInt(at.Format(timestamp), 10, 64)
	if err != nil {
		panic(err) // fourteen digits are a number
	}
	return n
}
