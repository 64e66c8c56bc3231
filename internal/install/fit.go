package install

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// checkPrograms refuses migrations in Go, which only a program that has them built in can run.
func checkPrograms(dir fs.FS) error {
	paths, _ := fs.Glob(dir, "*.go") // the pattern is well formed
	programs := slices.DeleteFunc(paths, func(path string) bool {
		_, ok := numberOf(path)
		return !ok || strings.HasSuffix(path, "_test.go")
	})
	if len(programs) == 0 {
		return nil
	}
	return &CheckError{
		Message: "the directory holds migrations in Go: " + strings.Join(programs, ", "),
		Hint:    "Apply it with your own program in which they are built in; goose applies the generated files as well.",
	}
}

// checkOrder is checkApplied, and also refuses a pending file below one that is applied: the later
// one was written for a database without it.
func checkOrder(known []Migration) error {
	if err := checkApplied(known); err != nil {
		return err
	}
	var pending, own []string // own are the user's
	for _, m := range known {
		switch {
		case !m.Applied && m.state == "":
			own = append(own, m.Name)
			fallthrough
		case !m.Applied:
			pending = append(pending, m.Name)
		case len(pending) > 0:
			check := &CheckError{
				Message: fmt.Sprintf("%s is applied, but earlier files are not: %s", m.Name, strings.Join(pending, ", ")),
				Hint: "Later generated files build on these. Undo the later ones with \"pgretain migrate down\", in a checkout " +
					"that this database was migrated from, then go up again here.",
			}
			if len(own) > 0 {
				check.Hint = fmt.Sprintf("Give %s a number after the last applied one.", strings.Join(own, ", "))
			}
			return check
		}
	}
	return nil
}

// checkApplied refuses a directory that lacks what the database has, or has other files for it. It knows a file
// again that was given another number.
func checkApplied(known []Migration) error {
	var unknown, renumbered, other []string
	for i, m := range known {
		if i > 0 && known[i-1].Version == m.Version {
			return &CheckError{Message: fmt.Sprintf("%s and %s have the same number", known[i-1].Name, m.Name), Hint: "Give the one that is applied nowhere another one."}
		}
		if m.Differs {
			other = append(other, m.Name)
		}
		if m.Name != "" {
			continue
		}
		unknown = append(unknown, fmt.Sprint(m.Version))
		for _, o := range known {
			if o.state != "" && o.state == m.recorded && !o.Applied {
				renumbered = append(renumbered, fmt.Sprintf("Version %d is %s: give it back its number.", m.Version, o.Name))
			}
		}
	}
	switch {
	case len(renumbered) > 0:
		return unknownError(unknown, strings.Join(renumbered, " "))
	case len(unknown) > 0:
		return unknownError(unknown, "Use the directory that these migrations came from, or a later version of it.")
	case len(other) > 0:
		return &CheckError{
			Message: "the database was migrated with other files of these numbers: " + strings.Join(other, ", "),
			Detail:  "One side of a fork was written again that this database had applied, or files were exchanged.",
			Hint: "Run \"pgretain migrate down\" in a checkout that has the files of this database, until they are undone; " +
				"then \"pgretain migrate up\" here.",
		}
	}
	return nil
}

func unknownError(versions []string, hint string) error {
	return &CheckError{Message: "the database has migrations that the directory has not: " + strings.Join(versions, ", "), Hint: hint}
}
