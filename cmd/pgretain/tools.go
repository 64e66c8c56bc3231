package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"pgretain/generator"
	"pgretain/internal/install"
)

// toolHints say how another tool goes up, down by a step, or lists what is applied. DIR is the directory, COUNT and
// FIRST are the number of files of the step and the number of its first, UPS and DOWNS are its scripts as arguments.
var toolHints = map[generator.Format]map[string]string{
	generator.Tern: {
		"up":     `Run "tern migrate --migrations DIR".`,
		"down":   `Run "tern migrate --migrations DIR --destination -COUNT": so many files has it, if the last one is applied.`,
		"status": `Run "tern status --migrations DIR".`,
	},
	generator.Flyway: {
		"up": `Run "flyway -locations=filesystem:DIR -postgresql.transactional.lock=false migrate".`,
		"down": `Run "flyway -locations=filesystem:DIR -postgresql.transactional.lock=false -target=FIRST undo", if your edition of ` +
			`flyway has undo; else have psql run the U files, latest first.`,
		"status": `Run "flyway -locations=filesystem:DIR info".`,
	},
	generator.Psql: {
		"up": `Run the scripts that this database has not seen, in order; those of the last step: ` +
			`"psql -X -v ON_ERROR_STOP=1UPS".`,
		"down":   `Run "psql -X -v ON_ERROR_STOP=1DOWNS", if the last script is applied.`,
		"status": `psql keeps no record; "pgretain verify" says what the database lacks.`,
	},
}

// onlyGoose refuses a directory that another tool applies, with that tool's own command; with all, down is of everything.
func onlyGoose(dir, verb string, all bool) error {
	format, err := generator.Recognise(os.DirFS(dir))
	if err != nil {
		return inDirectory(dir, err)
	}
	if format == generator.Goose {
		return nil
	}
	history, _, err := replay(dir, "", nil)
	if err != nil {
		return err
	}
	step := history.LastStep()
	if all {
		step = history.Files()
	}
	word, ups, downs := shellWord(dir), "", ""
	for _, m := range step {
		ups += " -f " + word + "/" + m.Name
		downs = " -f " + word + "/" + strings.ReplaceAll(m.Name, ".up.sql", ".down.sql") + downs
	}
	values := strings.NewReplacer("DIR", word, "COUNT", strconv.Itoa(len(step)), "FIRST", strconv.FormatInt(step[0].Version, 10),
		"UPS", ups, "DOWNS", downs)
	return &install.CheckError{
		Message: fmt.Sprintf("%s holds migrations for %s, which pgretain does not apply", quoted(dir), format),
		Hint:    values.Replace(toolHints[format][verb]),
	}
}

// shellWord quotes a path where a shell would not take it as one word.
func shellWord(path string) string {
	path = filepath.Clean(path)
	if strings.ContainsAny(path, " '\"\\$`&;|<>()*?[]#~!") {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
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
	if n.style == "" {
		return nil
	}
	if err := oneOf("numbers", n.style, "sequential", "timestamp"); err != nil {
		return err
	}
	if last := history.Last(); last > 0 && (n.style == "timestamp") != isTimestamp(last) {
		return usagef("--numbers %s is for an empty directory; the last number of %s is %d", n.style, dir, last)
	}
	if n.style == "timestamp" && history.Format() == generator.Tern {
		return usagef("--numbers timestamp is not for tern, which wants numbers without gaps")
	}
	return nil
}

// next comes after previous, also where the clock is behind it.
func (n numbering) next(previous int64) int64 {
	if !isTimestamp(previous) && (previous > 0 || n.style != "timestamp") {
		return previous + 1
	}
	after := previous + 1 // where previous is no instant, 61 seconds past the minute for example
	if at, err := time.Parse(timestamp, strconv.FormatInt(previous, 10)); err == nil {
		after = number(at.Add(time.Second))
	}
	return max(number(n.now().UTC()), after)
}

func isTimestamp(number int64) bool { return len(strconv.FormatInt(number, 10)) == len(timestamp) }

// number writes an instant as one number.
func number(at time.Time) int64 {
	n, _ := strconv.ParseInt(at.Format(timestamp), 10, 64) // fourteen digits are a number
	return n
}
