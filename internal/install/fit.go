package install

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/pressly/goose/v3"

	"pgretain/internal/lists"
)

// checkPrograms refuses migrations in Go, which only a program that has them built in can run.
func checkPrograms(dir fs.FS) error {
	programs, _ := fs.Glob(dir, "*.go") // the pattern is well formed
	programs = slices.DeleteFunc(programs, func(path string) bool {
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
	isApplied := func(m Migration) bool { return m.Applied }
	from := slices.IndexFunc(known, func(m Migration) bool { return !m.Applied })
	if from < 0 || !slices.ContainsFunc(known[from:], isApplied) {
		return nil
	}
	later := from + slices.IndexFunc(known[from:], isApplied)
	check := &CheckError{
		Message: fmt.Sprintf("%s is applied, but earlier files are not: %s", known[later].Name, names(known[from:later])),
		Hint: "Later generated files build on these. Undo the later ones with \"pgretain migrate down\", in a checkout " +
			"that this database was migrated from, then go up again here.",
	}
	if own := names(only(known[from:later], func(m Migration) bool { return m.state == "" })); own != "" {
		check.Hint = fmt.Sprintf("Give %s a number after the last applied one.", own)
	}
	return check
}

func only(list []Migration, which func(Migration) bool) []Migration {
	return slices.DeleteFunc(slices.Clone(list), func(m Migration) bool { return !which(m) })
}

// names are those of the files, or the versions where there are none.
func names(list []Migration) string {
	return strings.Join(lists.Map(list, func(m Migration) string { return cmp.Or(m.Name, fmt.Sprint(m.Version)) }), ", ")
}

// checkApplied refuses a directory that lacks what the database has, or has other files for it, or two of one number.
// It knows a file again that was given another number.
func checkApplied(known []Migration) error {
	unknown := only(known, func(m Migration) bool { return m.Name == "" })
	hint := ""
	for i, m := range known {
		if i > 0 && known[i-1].Version == m.Version {
			return &CheckError{
				Message: names(known[i-1:i+1]) + " have the same number", Hint: "Give the one that is applied nowhere another one.",
			}
		}
		for _, u := range unknown {
			if m.state != "" && m.state == u.recorded && !m.Applied {
				hint += fmt.Sprintf("Version %d is %s: give it back its number. ", u.Version, m.Name)
			}
		}
	}
	if len(unknown) > 0 {
		return &CheckError{
			Message: "the database has migrations that the directory has not: " + names(unknown),
			Hint: cmp.Or(strings.TrimSpace(hint),
				"Use the directory that these migrations came from, or a later version of it."),
		}
	}
	if other := names(only(known, func(m Migration) bool { return m.Differs })); other != "" {
		return &CheckError{
			Message: "the database was migrated with other files of these numbers: " + other,
			Detail:  "One side of a fork was written again that this database had applied, or files were exchanged.",
			Hint: "Run \"pgretain migrate down\" in a checkout that has the files of this database, until they are undone; " +
				"then \"pgretain migrate up\" here.",
		}
	}
	return nil
}
