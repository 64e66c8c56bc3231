package generator

import (
	"regexp"
	"slices"
	"strings"
)

// conflictHint is what to do with a file that both branches wrote: only one of them can have been
// applied under this name.
const conflictHint = "Take the whole file as one side has it, the side that is applied in a database if any " +
	"(\"git checkout --ours FILE\" or \"--theirs\"), then run \"pgretain generate\": it writes what is " +
	"missing as the next step."

// ourName is how generated files are called, whatever their number.
var ourName = regexp.MustCompile(`_(?:pgretain_runtime|retention_(?:tables|indexes|policies|drop_indexes))(?:\.up|\.down)?\.sql$`)

// damage says why a file that seems to be ours does not begin as one; nil for a file of the user.
func damage(name, text string) error {
	if line := conflictLine(text); line > 0 && mentionsUs(text) {
		return conflicted(name, line)
	}
	if ourName.MatchString(name) && strings.HasPrefix(firstLine+"\n", strings.TrimSpace(text)) {
		return cutOff(name)
	}
	for i, line := range firstLines(text) {
		if i > 0 && line == firstLine || line != firstLine && strings.HasSuffix(line, firstLine) {
			return &HistoryError{
				Kind: ErrEdited, Files: []string{name}, Line: i + 1,
				Message: "something stands before the first line of this generated migration", Hint: restoreHint,
			}
		}
	}
	return nil
}

// edited says why the lines of a file of ours are not those that were generated.
func edited(name, text string) error {
	if line := conflictLine(text); line > 0 {
		return conflicted(name, line)
	}
	if !strings.HasSuffix(text, "\n") {
		return cutOff(name)
	}
	return &HistoryError{
		Kind: ErrEdited, Files: []string{name},
		Message: "this generated migration was edited by hand", Hint: restoreHint,
	}
}

func conflicted(name string, line int) error {
	return &HistoryError{
		Kind: ErrConflict, Files: []string{name}, Line: line,
		Message: "this generated migration has conflict markers: two branches wrote it", Hint: conflictHint,
	}
}

func cutOff(name string) error {
	return &HistoryError{
		Kind: ErrEdited, Files: []string{name},
		Message: "this generated migration is cut off", Hint: "Restore the file from version control.",
	}
}

// conflictLine is the number of the first line that git writes around two versions, 0 without one.
// https://git-scm.com/docs/git-merge#_how_conflicts_are_presented
func conflictLine(text string) int {
	number := 0
	for line := range strings.Lines(text) {
		number++
		if strings.HasPrefix(line, "<<<<<<< ") {
			return number
		}
	}
	return 0
}

// mentionsUs says whether the first lines of either version are ours.
func mentionsUs(text string) bool {
	return slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool { return line == firstLine })
}

// firstLines are the few lines within which a stray line may have come before our first one.
func firstLines(text string) []string {
	lines := strings.SplitN(text, "\n", 6)
	return lines[:min(len(lines), 5)]
}
