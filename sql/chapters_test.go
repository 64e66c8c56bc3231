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

// namedInMessages are names that a function contains only in a message or a hint, by function. They
// are no calls.
var namedInMessages = map[string][]string{"_begin": {"preview"}, "_copy": {"adopt"}, "_finish": {"accept"},
	"_run_all": {"status"}, "_take_table": {"pause"}}

// calledByDryRuns are functions that dry runs and reports call, by caller. Such runs take no rows.
var calledByDryRuns = map[string][]string{"_begin": {"_run_report"}, "_run_all": {"_log_dry_run"}}

// notByRuns are the templates of SQL that migrations and applications execute. All other templates
// are functions that a run calls, or fragments of them. The test takes a new template for one of
// these.
var notByRuns = []string{
	"advance", "again", "application", "begin", "claim_keys", "close", "column", "cron", "cron_command", "cron_drop",
	"each",
	"each_drop", "index", "index_drop", "index_partitioned", "install", "install_drop", "job", "job_drop", "policy",
	"policy_script", "policy_drop", "privilege", "refuse_untrusted", "seen_keys", "touch",
}

// TestRunsCallTheirChapters checks that the chapters of the engine contain exactly the functions
// that runs call. These are retention.run, run_job, run_if_due, the functions of policies, and all
// functions that they call directly or indirectly. Names in strings count as calls, because the
// string may be executed.
func TestRunsCallTheirChapters(t *testing.T) {
	t.Parallel()
	byRuns := []string{"run", "run_job", "run_if_due"}
	for name, text := range readTemplates(t) {
		used := regexp.MustCompile(`\.Schema \}\}\.([a-z_]+)`).FindAllStringSubmatch(text, -1)
		if !slices.Contains(notByRuns, name) {
			for _, found := range used {
				byRuns = append(byRuns, found[1])
			}
		} else if len(used) == 0 {
			t.Errorf("template %s calls no function of the runtime: remove it from notByRuns", name)
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
			for _, name := range slices.Concat(namedInMessages[file.Name], calledByDryRuns[file.Name]) {
				if !slices.Contains(uses, name) {
					t.Errorf("%s does not contain the name %s: remove the name from the lists above", file.Name, name)
				}
			}
			byRuns = append(byRuns, slices.DeleteFunc(uses, func(name string) bool {
				return slices.Contains(namedInMessages[file.Name], name) ||
					slices.Contains(calledByDryRuns[file.Name], name)
			})...)
		}
	}
	for _, file := range sqlfiles.Files() {
		switch file.Chapter {
		case "types", "tables", "views":
			continue
		}
		if runs := sqlfiles.RunsExecute(file.Chapter); runs && !called[file.Name] {
			t.Errorf("%s/%s is in a chapter of the engine, but no run calls it", file.Chapter, file.Name)
		} else if !runs && called[file.Name] {
			t.Errorf("%s/%s is not in a chapter of the engine, but runs call it", file.Chapter, file.Name)
		}
	}
}

var (
	comment = regexp.MustCompile(`(?m)--.*$|('(?:[^']|'')*')`) // a comment, or a string that is kept
	use     = regexp.MustCompile(`\bretention\.([A-Za-z0-9_]+)`)
)

// uses returns the names in the runtime's schema that a text contains outside comments.
func uses(text string) (names []string) {
	for _, found := range use.FindAllStringSubmatch(comment.ReplaceAllString(text, "$1"), -1) {
		names = append(names, found[1])
	}
	return names
}

// TestOrderNamesEachFile checks that order.txt lists every file, because the runtime consists of
// the listed files only.
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
		t.Errorf("order.txt does not list the files of the folders (-folders +order.txt)\n%s", diff)
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
		withoutComments := regexp.MustCompile(`(?m)^\s*--.*$`).ReplaceAllString(string(text), "")
		texts[strings.TrimSuffix(name, ".sql.tmpl")] = withoutComments
	}
	return texts
}

// TestHeadings checks that each chapter begins with a title, and with one to three lines that say
// what it does and who calls it.
func TestHeadings(t *testing.T) {
	t.Parallel()
	for _, chapter := range sqlfiles.Chapters() {
		if !regexp.MustCompile(`^-- [A-Z][a-z]+\n(-- .*\n){1,3}$`).MatchString(sqlfiles.Heading(chapter)) {
			t.Errorf("%s/chapter.sql is not a title and one to three lines:\n%s", chapter, sqlfiles.Heading(chapter))
		}
	}
}

// TestNoPlanIsCompiled checks that each function that switches a plan type off also switches JIT
// off. The planner adds a high cost to a plan type that is off. Such a cost would start JIT
// compilation, which takes seconds.
func TestNoPlanIsCompiled(t *testing.T) {
	t.Parallel()
	switched := regexp.MustCompile(`SET enable_\w+ = off`)
	for _, file := range sqlfiles.Files() {
		if switched.MatchString(file.Text) && !strings.Contains(file.Text, "SET jit = off") {
			t.Errorf("%s/%s lacks SET jit = off", file.Chapter, file.Name)
		}
	}
}
