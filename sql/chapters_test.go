package sqlfiles_test

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	sqlfiles "pgretain/sql"
	"pgretain/templates"
)

// told are names that a text only tells people, in a message or a hint: no calls.
var told = map[string][]string{"_begin": {"preview"}, "_copy": {"adopt"}, "_finish": {"accept"},
	"_run_all": {"status"}, "_take_table": {"pause"}}

// apart are calls by dry runs and reports, which take no rows.
var apart = map[string][]string{"_begin": {"_run_report"}, "_run_all": {"_log_dry_run"}}

// notByRuns are the templates of what migrations and applications execute. The others are functions
// that a run calls, and their parts: a new template is taken for one.
var notByRuns = []string{
	"advance", "application", "claim_keys", "close", "column", "cron_command", "each", "each_drop", "index", "index_drop", "index_partitioned",
	"install", "install_drop", "job", "job_drop", "page", "policy", "policy_drop", "privilege", "refuse_untrusted", "seen_keys", "touch",
}

// TestRunsCallTheirChapters: a DBA who asks what can change rows reads what stands in the chapters
// of the engine, and nothing else. That is all that retention.run and run_job call, directly or
// not, and the functions of policies that they execute; texts of EXECUTE count as well as
// statements, in whatever string a name stands. And there is nothing else in these chapters.
func TestRunsCallTheirChapters(t *testing.T) {
	t.Parallel()
	byRuns := []string{"run", "run_job"}
	for name, text := range readTemplates(t) {
		if used := regexp.MustCompile(`\.Schema \}\}\.([a-z_]+)`).FindAllStringSubmatch(text,
			-1); !slices.Contains(notByRuns, name) {
			for _, found := range used {
				byRuns = append(byRuns, found[1])
			}
		} else if len(used) == 0 {
			t.Errorf("template %s calls nothing, and needs not be listed", name)
		}
	}
	called := map[string]bool{}
	for len(byRuns) > 0 {
		name := byRuns[0]
		byRuns = byRuns[1:]
		if called[name] {
			continue
		}
		called[name] = true
		for _, file := range filesOf(name) {
			uses := uses(file.Text)
			for _, name := range slices.Concat(told[file.Name], apart[file.Name]) {
				if !slices.Contains(uses, name) {
					t.Errorf("%s does not name %s", file.Name, name)
				}
			}
			byRuns = append(byRuns, slices.DeleteFunc(uses, func(name string) bool {
				return slices.Contains(told[file.Name], name) || slices.Contains(apart[file.Name], name)
			})...)
		}
	}
	for _, file := range sqlfiles.Files() {
		switch file.Chapter {
		case "types", "tables", "views":
			continue
		}
		if runs := sqlfiles.RunsExecute(file.Chapter); runs && !called[file.Name] {
			t.Errorf("%s/%s: no run calls it", file.Chapter, file.Name)
		} else if !runs && called[file.Name] {
			t.Errorf("%s/%s: runs call it", file.Chapter, file.Name)
		}
	}
}

var (
	comment = regexp.MustCompile(`(?m)--.*$|('(?:[^']|'')*')`) // not in strings
	use     = regexp.MustCompile(`\bretention\.([A-Za-z0-9_]+)`)
)

// uses are the names in the runtime's schema that a text has outside comments.
func uses(text string) (names []string) {
	for _, found := range use.FindAllStringSubmatch(comment.ReplaceAllString(text, "$1"), -1) {
		names = append(names, found[1])
	}
	return names
}

// TestOrderNamesEachFile: what order.txt leaves out would not be installed.
func TestOrderNamesEachFile(t *testing.T) {
	t.Parallel()
	var want, got []string
	for _, pattern := range []string{"types/*.sql", "tables/*.sql", "engine/*/*.sql", "inspect/*.sql", "operate/*.sql",
		"migrate/*.sql", "views/*.sql"} {
		names, err := fs.Glob(sqlfiles.Runtime, pattern)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, slices.DeleteFunc(names,
			func(name string) bool { return path.Base(name) == "chapter.sql" })...)
	}
	for _, file := range sqlfiles.Files() {
		got = append(got, path.Join(file.Chapter, file.Name+".sql"))
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order.txt (-want +got)\n%s", diff)
	}
}

func filesOf(name string) []sqlfiles.File {
	return slices.DeleteFunc(slices.Clone(sqlfiles.Files()), func(f sqlfiles.File) bool { return f.Name != name })
}

func readTemplates(t *testing.T) map[string]string {
	t.Helper()
	names, err := fs.Glob(templates.FS, "*.sql.tmpl")
	if err != nil || len(names) == 0 {
		t.Fatalf("no templates: %v", err)
	}
	texts := map[string]string{}
	for _, name := range names {
		text, err := fs.ReadFile(templates.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		texts[strings.TrimSuffix(name, ".sql.tmpl")] = regexp.MustCompile(`(?m)^\s*--.*$`).ReplaceAllString(string(text), "")
	}
	return texts
}

// TestHeadings: a chapter says in two or three lines what it does, and who calls it.
func TestHeadings(t *testing.T) {
	t.Parallel()
	for _, chapter := range sqlfiles.Chapters() {
		if !regexp.MustCompile(`^-- [A-Z][a-z]+\n(-- .*\n){1,3}$`).MatchString(sqlfiles.Heading(chapter)) {
			t.Errorf("%s begins with\n%s", chapter, sqlfiles.Heading(chapter))
		}
	}
}

// TestNoPlanIsCompiled: where a function switches a way of planning off, plans that go that way all
// the same have costs for which the server compiles them, in seconds.
func TestNoPlanIsCompiled(t *testing.T) {
	t.Parallel()
	switched := regexp.MustCompile(`SET enable_\w+ = off`)
	for _, file := range sqlfiles.Files() {
		if switched.MatchString(file.Text) && !strings.Contains(file.Text, "SET jit = off") {
			t.Errorf("%s/%s lacks SET jit = off", file.Chapter, file.Name)
		}
	}
}
