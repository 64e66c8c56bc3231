package generator

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pgretain/policy"
)

func text(content string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(content)} }

func TestUpgradesGoByNumber(t *testing.T) {
	t.Parallel()
	kind := runtimeKind{"upgrades", KindUpgrade}
	install := policy.Install{Schema: "keep", Roles: policy.Roles{None: true}}
	got, err := kind.upgrades(fstest.MapFS{
		"upgrades/10/b.sql": text("ALTER TABLE retention.run ADD b int;\n"), "upgrades/10/b.down.sql": text("SELECT 10;\n"),
		"upgrades/9/z.sql": text("SELECT 9;\n"), "upgrades/9/z.down.sql": text("ALTER TABLE retention.run DROP z;\n"),
		"upgrades/10/a.sql": text("SELECT 10;\n"), "upgrades/10/a.down.sql": text("SELECT 10;\n"),
	}, install)
	want := []Object{
		{Kind: KindUpgrade, Name: "9/z", As: AsOwner, SQL: "SELECT 9;\n", Drop: "ALTER TABLE keep.run DROP z;\n"},
		{Kind: KindUpgrade, Name: "10/a", As: AsOwner, SQL: "SELECT 10;\n", Drop: "SELECT 10;\n"},
		{Kind: KindUpgrade, Name: "10/b", As: AsOwner, SQL: "ALTER TABLE keep.run ADD b int;\n", Drop: "SELECT 10;\n"},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got)\n%s", err, diff)
	}
	for name, files := range map[string]fstest.MapFS{
		"no way back": {"upgrades/2/a.sql": text("SELECT 1;\n")},
		"no version":  {"upgrades/next/a.sql": text("SELECT 1;\n"), "upgrades/next/a.down.sql": text("SELECT 1;\n")},
	} {
		if _, err := kind.upgrades(files, install); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestUpgradeComesAfterTablesAndBeforeFunctions, and goes before the functions that do not know it.
func TestUpgradeComesAfterTablesAndBeforeFunctions(t *testing.T) {
	t.Parallel()
	upgrade := Object{Kind: KindUpgrade, Name: "1/run_note", As: AsOwner,
		SQL:  "ALTER TABLE retention.run ADD COLUMN IF NOT EXISTS note text;\n",
		Drop: "ALTER TABLE retention.run DROP COLUMN IF EXISTS note;\n"}
	dir := fstest.MapFS{}
	addFiles(t, dir, mustNext(t, mustRead(t, dir), runtimeObjects("SELECT 1")))
	files := mustNext(t, mustRead(t, dir), append(runtimeObjects("SELECT 2"), upgrade))
	if len(files) != 1 {
		t.Fatalf("%d files", len(files))
	}
	want := []string{
		"put upgrade \"1/run_note\"", "put function \"retention.health()\"",
		"drop upgrade \"1/run_note\"", "put function \"retention.health()\"",
	}
	if diff := cmp.Diff(want, marks(files[0].Content())); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if n := strings.Count(files[0].Content(), "SET LOCAL lock_timeout = '10s';"); n != 2 {
		t.Errorf("the wait for a lock is bounded %d times, want up and down", n)
	}
	addFiles(t, dir, files)
	if _, err := Next(mustRead(t, dir), runtimeObjects("SELECT 2"), NextOptions{Roles: testRoles}); !errors.Is(err, ErrUpgrade) {
		t.Errorf("an upgrade that is not wanted any more: %v", err)
	}
}

// marks are those of a file.
func marks(content string) []string {
	var list []string
	for line := range strings.Lines(content) {
		if a, ok := readMark(strings.TrimSuffix(line, "\n")); ok {
			list = append(list, fmt.Sprintf("%s %s %q", a.verb, a.object.Kind, a.object.Name))
		}
	}
	return list
}

func TestReadRefusesANewerRuntime(t *testing.T) {
	t.Parallel()
	row := func(version string) Object {
		return Object{Kind: KindInstall, Name: "install", As: AsOwner, SQL: "-- Runtime version " + version + ".\nSELECT 1;\n"}
	}
	for name, c := range map[string]struct {
		object  Object
		message string
	}{
		"registry":     {row("10"), "it installs version 10 of the runtime; this pgretain writes version 1"},
		"upgrade":      {Object{Kind: KindUpgrade, Name: "10/a", As: AsOwner, SQL: "SELECT 1;\n"}, "it installs version 10 of the runtime"},
		"unknown kind": {Object{Kind: "trigger", Name: "a", As: AsOwner, SQL: "SELECT 1;\n"}, "line 11: it holds an object of kind \"trigger\""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := fstest.MapFS{}
			h := mustRead(t, dir)
			p := part{middle: "retention_policies", what: "A newer one.", changes: []change{{after: &c.object}}}
			files, err := writeStep(h, []part{p}, NextOptions{Roles: testRoles})
			if err != nil {
				t.Fatal(err)
			}
			addFiles(t, dir, files)
			_, err = Read(dir)
			var refused *HistoryError
			if !errors.Is(err, ErrNewer) || !errors.As(err, &refused) || refused.Hint == "" || !strings.HasPrefix(refused.Message, c.message) {
				t.Errorf("got %v", err)
			}
		})
	}
	dir := fstest.MapFS{}
	addFiles(t, dir, mustNext(t, mustRead(t, dir), []Object{row("1")}))
	mustRead(t, dir)
}
