package generator

import (
	"fmt"
	"slices"
)

const (
	restoreHint = "Restore the file from version control and change the policy instead; " +
		"what pgretain does not generate belongs into a migration of your own."
	forkHint = "Delete the files that no database has applied yet, beginning with the later one, " +
		"and run \"pgretain generate\" again."
	gapHint = "Restore the missing file from version control."
)

// chainError finds out why file does not continue what came before it.
func chainError(before []Migration, file migrationFile, all []migrationFile) error {
	if rival := follower(before, file.After); rival != "" {
		return &HistoryError{
			Kind: ErrFork, Files: []string{rival, file.Name},
			Message: fmt.Sprintf("both follow state %s", file.After),
			Hint:    forkHint,
		}
	}
	if parent := maker(all, file.After); parent != "" {
		return &HistoryError{
			Kind: ErrOrder, Files: []string{parent, file.Name},
			Message: fmt.Sprintf("state %s comes later than the file that follows it", file.After),
			Hint:    "Restore the numbers of the files: they are applied in the order of their numbers.",
		}
	}
	return &HistoryError{
		Kind: ErrGap, Files: append(previous(before), file.Name),
		Message: fmt.Sprintf("follows state %s, which no file in the directory makes", file.After),
		Hint:    gapHint,
	}
}

// follower is the file that already follows state.
func follower(before []Migration, state string) string {
	for _, m := range slices.Backward(before) {
		if m.After == state {
			return m.Name
		}
	}
	return ""
}

// maker is the file after which state holds.
func maker(all []migrationFile, state string) string {
	for _, m := range all {
		if m.State == state {
			return m.Name
		}
	}
	return ""
}

// previous names the last file that is known to be in order.
func previous(before []Migration) []string {
	if len(before) == 0 {
		return nil
	}
	return []string{before[len(before)-1].Name}
}
