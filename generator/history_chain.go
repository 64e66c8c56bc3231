package generator

import (
	"fmt"
	"slices"
)

const (
	restoreHint = "Restore the file from version control and change the policy instead; " +
		"what pgretain does not generate belongs into a migration of your own."
	gapHint   = "Restore the missing file from version control."
	orderHint = "Give the files back the numbers that they were generated with: they are applied in the order of their numbers."
	forkHint  = "Two branches each added a step. Have the side written again that is applied nowhere: " +
		"\"pgretain generate --rebase=%s\" or \"pgretain generate --rebase=%s\"."
	newerHint = "Use the pgretain version that wrote the file, or a later one: an older one would take the newer runtime back."
)

// chainError finds out why file does not continue what came before it.
func chainError(before []Migration, file migrationFile, all []migrationFile) error {
	if rival := follower(before, file.After); rival != "" {
		return &HistoryError{
			Kind: ErrFork, Files: []string{rival, file.Name},
			Message: "this migration follows the same state as " + rival,
			Hint:    fmt.Sprintf(forkHint, rival, file.Name),
		}
	}
	if parent := maker(all, file.After); parent != "" {
		return &HistoryError{
			Kind: ErrOrder, Files: []string{parent, file.Name},
			Message: "this migration has to come after " + parent + ", which it continues",
			Hint:    orderHint,
		}
	}
	return &HistoryError{
		Kind: ErrGap, Files: append(previous(before), file.Name),
		Message: "a migration " + between(before) + " is missing", Hint: gapHint,
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

// between says in a message where the chain breaks off.
func between(before []Migration) string {
	if len(before) == 0 {
		return "before this one"
	}
	return "between " + before[len(before)-1].Name + " and this one"
}

// duplicate explains two files with one number: most often two branches that were merged.
func duplicate(dir sideDir, a, b numbered) error {
	hint := "Give the one that is applied nowhere another number."
	switch aOurs, bOurs := dir.isOurs(a.name), dir.isOurs(b.name); {
	case aOurs && bOurs:
		hint = fmt.Sprintf(forkHint, a.name, b.name)
	case aOurs:
		hint = ownHint(b.name, a.name)
	case bOurs:
		hint = ownHint(a.name, b.name)
	}
	return &HistoryError{
		Kind: ErrDuplicate, Files: []string{a.name, b.name},
		Message: fmt.Sprintf("this migration and %s both have number %d", a.name, a.version), Hint: hint,
	}
}

// ownHint is for a file of the user's own and one of ours.
func ownHint(own, ours string) string {
	return fmt.Sprintf("If %s is applied nowhere, give it another number; if %s is applied nowhere, "+
		"run \"pgretain generate --rebase=%[2]s\".", own, ours)
}
