package main

import (
	"cmp"
	_ "embed" // flags.txt
	"maps"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"pgretain/internal/catalog"
	"pgretain/internal/lists"
)

// flags are the values of the command line, of all verbs together: AsOf is --as-of. flags.txt and help.txt say which
// verb has which, what they mean and their defaults.
type flags struct {
	Policy, Catalog, Migrations, CronMigrations string
	DatabaseURL, CronDatabaseURL, Fleet         string
	Format                                      string
	JSON, Verbose                               bool // JSON is set with --format json as well

	Schema                      string // of the runtime; or the file that makes the tables
	AsOf, OlderThan, Scope, Job string
	Reason, Rows                string
	Until, HoldUntil            string
	Limit                       int64
	First, Yes                  bool

	Check, Cron, All, Counts, Verify, Force, Sandbox, Apply bool
	Export, Output, Example, Database, Migrator             string
	Rebase, Only, Skip                                      []string
	Timeout                                                 time.Duration
}

//go:embed flags.txt
var flagsText string

var (
	flagWord = regexp.MustCompile(`^([a-z-]+)(?:,(\w))?(?:\[=(.*)\])?(?:=(.*))?$`)
	kebab    = regexp.MustCompile(`([a-z])([A-Z])`)
)

// common are the lines of flags.txt by the names of the flags.
var common = func() map[string]string {
	lines := map[string]string{}
	for line := range strings.Lines(flagsText) {
		lines[flagWord.ReplaceAllString(strings.Fields(line)[0], "$1")] = line
	}
	return lines
}()

// places are where the values of flags go, by the names of the flags.
func (f *flags) places() map[string]any {
	places := map[string]any{}
	value := reflect.ValueOf(f).Elem()
	for _, field := range reflect.VisibleFields(value.Type()) {
		if field.IsExported() {
			name := strings.ToLower(kebab.ReplaceAllString(field.Name, "$1-$2"))
			places[name] = value.FieldByIndex(field.Index).Addr().Interface()
		}
	}
	return places
}

// add gives a command its flags: those of flags.txt whose names a line lists, and those that a line defines.
func (f *flags) add(command *cobra.Command, places map[string]any, lines string) {
	set := command.Flags()
	for line := range strings.Lines(lines) {
		list := []string{line}
		if line = strings.TrimSpace(line); !strings.Contains(line, "  ") {
			list = lists.Map(strings.Fields(line), func(name string) string { return common[name] })
		}
		for _, line := range list {
			define(command, places, line)
		}
	}
	for _, name := range []string{"database-url", "cron-database-url"} {
		if set.Lookup("fleet") != nil && set.Lookup(name) != nil {
			command.MarkFlagsMutuallyExclusive("fleet", name)
		}
	}
}

// choices is where a flag keeps the values that it may have, the default first.
const choices = "choices"

func define(command *cobra.Command, places map[string]any, line string) {
	set := command.Flags()
	word, usage, _ := strings.Cut(strings.TrimSpace(line), "  ")
	parts := flagWord.FindStringSubmatch(word)
	name, letter := parts[1], parts[2]
	switch to := places[name].(type) {
	case *string:
		set.StringVarP(to, name, letter, "", usage)
	case *bool:
		set.BoolVarP(to, name, letter, false, usage)
	case *int64:
		set.Int64VarP(to, name, letter, 0, usage)
	case *time.Duration:
		set.DurationVarP(to, name, letter, 0, usage)
	case *[]string:
		set.StringSliceVarP(to, name, letter, nil, usage)
	}
	flag := set.Lookup(name)
	flag.NoOptDefVal = cmp.Or(parts[3], flag.NoOptDefVal)
	if parts[4] != "" {
		known := strings.Split(parts[4], "|")
		flag.DefValue, flag.Annotations = known[0], map[string][]string{choices: known}
	}
}

// check gives the flags of the verb that is called their defaults, and refuses a value that means nothing.
func (f *flags) check(command *cobra.Command) (err error) {
	for _, name := range slices.Sorted(maps.Keys(f.places())) {
		flag := command.Flags().Lookup(name)
		if flag == nil || flag.Annotations[choices] == nil {
			continue
		}
		known := flag.Annotations[choices]
		switch {
		case !flag.Changed:
			_ = flag.Value.Set(known[0]) // a value of our own
		case len(known) > 1:
			err = cmp.Or(err, oneOf(name, flag.Value.String(), known...))
		}
		if name == "format" && slices.Contains(known, "json") {
			if f.JSON {
				f.Format = "json"
			}
			f.JSON = f.Format == "json"
		}
	}
	return err
}

// oneOf refuses a value of a flag that means nothing.
func oneOf(flag, value string, known ...string) error {
	if slices.Contains(known, value) {
		return nil
	}
	known = slices.DeleteFunc(slices.Clone(known), func(one string) bool { return one == "" })
	last := len(known) - 1
	return usagef("--%s must be %s or %s, got %q", flag, strings.Join(known[:last], ", "), known[last], value)
}

// cronDirectory is where the migrations of the other database are.
func (f *flags) cronDirectory() string {
	return cmp.Or(f.CronMigrations, filepath.Clean(f.Migrations)+"_cron")
}

// checkDirectories refuses one directory for two databases.
func (f *flags) checkDirectories() error {
	if filepath.Clean(f.Migrations) == filepath.Clean(f.cronDirectory()) {
		return usagef("--migrations and --cron-migrations must be two directories")
	}
	return nil
}

// catalogFile is where the snapshot is.
func (f *flags) catalogFile() string {
	return cmp.Or(f.Catalog, filepath.Join(filepath.Dir(f.Policy), catalog.FileName))
}
