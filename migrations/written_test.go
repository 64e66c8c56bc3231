package migrations_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pgretain/generator"
	"pgretain/migrations"
	"pgretain/policy"
	sqlfiles "pgretain/sql"
	"pgretain/tests/fixture"
)

// TestWritten holds the files to sql/. "go generate" writes them again.
func TestWritten(t *testing.T) {
	t.Parallel()
	want, got := map[string]string{}, map[string]string{}
	for _, file := range written(t) {
		want[file.Name] = file.Text
		if *fixture.Update {
			if err := os.WriteFile(file.Name, []byte(file.Text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	names, err := filepath.Glob("*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		got[name] = fixture.ReadFile(t, name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the files are not what sql/ gives; run \"make generate\" (-want +got):\n%s", diff)
	}
}

// TestIsHistory reads the files as a migration directory: it installs exactly the runtime.
func TestIsHistory(t *testing.T) {
	t.Parallel()
	history, err := generator.Read(migrations.FS)
	if err != nil {
		t.Fatal(err)
	}
	want, got := map[generator.ID]string{}, map[generator.ID]string{}
	for _, object := range runtime(t) {
		want[object.ID()] = object.SQL + object.Drop
	}
	for _, object := range history.Objects() {
		got[object.ID()] = object.SQL + object.Drop
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the files install something else (-want +got):\n%s", diff)
	}
}

// TestReadmeSaysWhatRunsExecute compares the chapters that README.md names with the runtime's
// migration. The numbered chapters stand within the lines that the head counts, and the next
// chapter begins right after these lines.
func TestReadmeSaysWhatRunsExecute(t *testing.T) {
	t.Parallel()
	text := fixture.ReadFile(t, "00001_pgretain_runtime.sql")
	said := regexp.MustCompile(`(?m)^-- The first (\d+) lines are all that a run executes`).FindStringSubmatch(text)
	if said == nil {
		t.Fatal("the head of the file does not say how many of its lines a run executes")
	}
	count, err := strconv.Atoi(said[1])
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text, "\n")
	if !strings.HasPrefix(lines[count], "-- pgretain: chapter ") {
		t.Fatalf("no chapter begins after line %d", count)
	}
	numbered := regexp.MustCompile(`(?m)^-- pgretain: chapter (\d+) `)
	executed := numbered.FindAllStringSubmatch(strings.Join(lines[:count], "\n"), -1)
	if len(executed) == 0 || numbered.MatchString(strings.Join(lines[count:], "\n")) {
		t.Fatal("the numbered chapters are not the ones that a run executes")
	}
	want := fmt.Sprintf("A run executes chapters 1 to %s and nothing after them", executed[len(executed)-1][1])
	if readme := strings.Join(strings.Fields(fixture.ReadFile(t, "../README.md")), " "); !strings.Contains(readme,
		want) {
		t.Errorf("README.md does not say: %s", want)
	}
}

// TestViewsNameTheirColumns: "*" would be the columns of the day on which the view was made, and
// installs of two ages would differ.
func TestViewsNameTheirColumns(t *testing.T) {
	t.Parallel()
	for _, object := range runtime(t) {
		if object.Kind == generator.KindView && regexp.MustCompile(`(?i)SELECT\s+(\w+\.)?\*`).MatchString(object.SQL) {
			t.Errorf("view %s selects *", object.Name)
		}
	}
}

// TestVersion holds the functions that know the runtime's version to the constant.
func TestVersion(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	for _, object := range runtime(t) {
		name, _, _ := strings.Cut(object.Name, "(")
		texts[name] = object.SQL
	}
	for name, text := range map[string]string{
		"retention._half_upgraded": "i.runtime_version <> '" + sqlfiles.Version + "'",
		"retention._step":          "i.runtime_version = '" + sqlfiles.Version + "'",
		"retention._stop_reason":   "i.runtime_version <> '" + sqlfiles.Version + "'",
	} {
		if !strings.Contains(texts[name], text) {
			t.Errorf("%s does not say %s:\n%s", name, text, texts[name])
		}
	}
}

// TestSettingsArePinned: what expressions of policies mean must not depend on who calls. Whoever
// sets the install's search path for them pins all else; whoever asks a policy's functions and does
// not is called by such functions only, or calls _query_as_worker() or _execute_as_worker(), which
// have them pinned where a policy is named.
func TestSettingsArePinned(t *testing.T) {
	t.Parallel()
	pinned, looking := 0, 0
	looks := regexp.MustCompile(`(?s)retention\._(query|execute)_as_worker\(.*, (policy|p_policy\.name)\)`)
	for _, object := range runtime(t) {
		if object.Kind != generator.KindFunction {
			continue
		}
		head, body, ok := strings.Cut(object.SQL, "$function$")
		if !ok {
			continue
		}
		_, head, _ = strings.Cut(head, "CREATE OR REPLACE")
		asks := strings.Contains(body, "retention.%I(") &&
			regexp.MustCompile(`'_(rows|take|start|partition)'|'(beyond|groups)'`).MatchString(body)
		switch {
		case strings.Contains(body, "retention._pin("):
			pinned++
			for _, setting := range []string{"search_path", "timezone", "datestyle", "intervalstyle", "bytea_output",
				"extra_float_digits",
				"standard_conforming_strings", "transform_null_equals", "array_nulls"} {
				if !strings.Contains(head, "SET "+setting+" = ") {
					t.Errorf("%s evaluates expressions of policies with the %s of its caller", object.Name, setting)
				}
			}
		case asks && looks.MatchString(body):
			looking++
		case asks && strings.Contains(head, "SET search_path"):
			t.Errorf("%s asks the functions of a policy and does not call _pin()", object.Name)
		}
	}
	if pinned < 3 || looking < 3 {
		t.Errorf("%d functions call _pin(), %d call _query_as_worker() or _execute_as_worker()", pinned, looking)
	}
}

// written is the step from nothing to sql/.
func written(t *testing.T) []generator.File {
	t.Helper()
	empty, err := generator.Read(fstest.MapFS{})
	if err != nil {
		t.Fatal(err)
	}
	files, err := generator.Next(empty, runtime(t), generator.NextOptions{
		Roles: defaults(t).Roles, SearchPath: []string{"pg_catalog", "pg_temp"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func runtime(t *testing.T) []generator.Object {
	t.Helper()
	return generator.Runtime(defaults(t))
}

// defaults is the install of a policy file that says nothing about it.
func defaults(t *testing.T) policy.Install {
	t.Helper()
	file, diags := policy.Parse("retention.yaml", []byte("version: 1\npolicies: {p: {table: t, where: x, then: "+
		"[delete]}}\n"))
	if file == nil {
		t.Fatal(diags)
	}
	return file.Install
}
