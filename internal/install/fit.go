package install

import (
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"
)

// checkPrograms refuses migrations in Go, which only a program that has them built in can run.
func checkPrograms(dir fs.FS) error {
	paths, err := fs.Glob(dir, "*.go")
	if err != nil {
		return fmt.Errorf("listing migrations: %w", err)
	}
	programs := slices.DeleteFunc(paths, func(path string) bool {
		_, err := goose.NumericComponent(path)
		return err != nil || strings.HasSuffix(path, "_test.go")
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
	var pending []Migration
	for _, m := range known {
		if m.Applied && len(pending) > 0 {
			return &CheckError{
				Message: fmt.Sprintf("%s is applied, but earlier files are not: %s", m.Name, strings.Join(names(pending), ", ")),
				Hint:    laterHint(pending),
			}
		}
		if !m.Applied {
			pending = append(pending, m)
		}
	}
	return nil
}

// laterHint depends on whose files they are.
func laterHint(pending []Migration) string {
	own := slices.DeleteFunc(slices.Clone(pending), func(m Migration) bool { return m.state != "" })
	if len(own) > 0 {
		return fmt.Sprintf("Give %s a number after the last applied one.", strings.Join(names(own), ", "))
	}
	return "Later generated files build on these. Undo the later ones with \"pgretain migrate down\", in a checkout " +
		"that this database was migrated from, then go up again here."
}

// checkApplied refuses a directory that lacks what the database has, or has other files for it.
func checkApplied(known []Migration) error {
	if err := checkUnknown(known); err != nil {
		return err
	}
	var other []Migration
	for _, m := range known {
		if m.Differs {
			other = append(other, m)
		}
	}
	if len(other) == 0 {
		return nil
	}
	return &CheckError{
		Message: "the database was migrated with other files of these numbers: " + strings.Join(names(other), ", "),
		Detail:  "One side of a fork was written again that this database had applied, or files were exchanged.",
		Hint: "Run \"pgretain migrate down\" in a checkout that has the files of this database, until they are undone; " +
			"then \"pgretain migrate up\" here.",
	}
}

// checkUnknown knows a file again that was given another number.
func checkUnknown(known []Migration) error {
	var unknown, renumbered []string
	for _, m := range known {
		if m.Name != "" {
			continue
		}
		unknown = append(unknown, strconv.FormatInt(m.Version, 10))
		for _, other := range known {
			if other.state != "" && other.state == m.recorded && !other.Applied {
				renumbered = append(renumbered, fmt.Sprintf("Version %d is %s: give it back its number.", m.Version, other.Name))
			}
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	check := &CheckError{
		Message: "the database has migrations that the directory has not: " + strings.Join(unknown, ", "),
		Hint:    "Use the directory that these migrations came from, or a later version of it.",
	}
	if len(renumbered) > 0 {
		check.Hint = strings.Join(renumbered, " ")
	}
	return check
}

func names(migrations []Migration) []string {
	var list []string
	for _, m := range migrations {
		list = append(list, m.Name)
	}
	return list
}
