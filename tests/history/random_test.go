package history

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"pgretain/generator"
	"pgretain/internal/install"
	"pgretain/internal/lists"
	"pgretain/tests/fixture"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// stop is one state of a history: the policy file, the migrations up to here, and the catalog.
type stop struct {
	file       file
	yaml       string // "" before the first migration
	migrations fstest.MapFS
	catalog    []string
	version    int64
}

const steps = 12

// TestRandomHistories changes a random policy file twelve times. Then it undoes all migrations one
// by one, applies them again, and goes to random states. At each state, the catalog must be as it
// was the first time. There are 2 histories, and 20 in "make fire". PGRETAIN_HISTORY_SEEDS=20-40
// tests other ones.
func TestRandomHistories(t *testing.T) {
	t.Parallel()
	first, last := seeds(t)
	for seed := first; seed <= last; seed++ {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 4))
			walk(t, random, randomFile(random), steps)
		})
	}
}

// TestRandomHistoryWithCron does the same for a history that also changes jobs of pg_cron.
func TestRandomHistoryWithCron(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 5))
	f := randomFile(random)
	f.cron, f.variant["nightly"], f.variant["often"] = true, 2, 1
	walk(t, random, f, 6, kit.On(pgtest.CronServer(t)))
}

// TestRandomHistoryOfOneRole does the same with "roles: none", and a schema of another name.
func TestRandomHistoryOfOneRole(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 6))
	f := randomFile(random)
	f.schema, f.roles = "keep", "none"
	walk(t, random, f, 6)
}

func seeds(t *testing.T) (first, last uint64) {
	t.Helper()
	text := os.Getenv("PGRETAIN_HISTORY_SEEDS")
	if text == "" && kit.Fire() {
		return 1, 20
	}
	if text == "" {
		return 1, 2
	}
	from, to, _ := strings.Cut(text, "-")
	first, err := strconv.ParseUint(from, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	if last, err = strconv.ParseUint(to, 10, 64); err != nil {
		last = first
	}
	return first, last
}

// schema returns the schema of the generator's cases. It has tables of every kind, with names that
// are valid but unusual.
func schema(t *testing.T) string {
	return fixture.ReadFile(t, "../../generator/testdata/schema.sql")
}

var applicationRoles = pgtest.MakeRole("app") + pgtest.MakeRole(`"Big App"`)

// walk makes a random history and goes through its states.
func walk(t *testing.T, random *rand.Rand, f file, steps int, more ...kit.Option) {
	t.Helper()
	in := kit.Prepare(t, schema(t), f.yaml(), append(more, kit.Before(applicationRoles))...)
	if len(in.Migrations) == 0 { // kit has no template for this install section
		grow(t, in, generator.Runtime(in.File.Install))
		in.Up(t)
	}
	stops := []stop{{f, "", copied(in.Migrations), kit.Catalog(t, in.DB, in.File.Install.Schema),
		last(t, in.Migrations)}}
	for i := range steps + 1 {
		what := "everything"
		if i > 0 {
			f, what = f.edit(random)
		}
		migrate(t, in, f, what)
		stops = append(stops, stop{f, f.yaml(), copied(in.Migrations), kit.Catalog(t, in.DB, in.File.Install.Schema),
			last(t, in.Migrations)})
		t.Logf("stop %d: %s", i+1, what)
	}
	at := len(stops) - 1
	route := []int{}
	for i := at - 1; i >= 0; i-- {
		route = append(route, i)
	}
	for i := 1; i <= at; i++ {
		route = append(route, i)
	}
	for range 4 {
		route = append(route, random.IntN(len(stops)))
	}
	made := createdArchives(stops)
	for _, to := range append(route, at) {
		visit(t, in, stops, &at, to, made)
	}
	compareFresh(t, in, stops, made, more)
}

// migrate generates the migration for the file and applies it. A new snapshot must not lead to
// another migration.
func migrate(t *testing.T, in *kit.Installed, f file, what string) {
	t.Helper()
	in.Generate(t, f.yaml())
	if _, err := in.TryUp(t); err != nil {
		list := install.Diagnostics(err)
		t.Fatalf("migrating to %s: %v %s %s\n%s", what, err, list[0].Detail, list[0].Hint, f.yaml())
	}
	before := len(in.Migrations)
	in.Generate(t, f.yaml())
	if len(in.Migrations) != before {
		list := names(in.Migrations)
		t.Fatalf("%s: a second migration for the same file:\n%s\n%s", what, in.Migrations[list[len(list)-1]].Data,
			f.yaml())
	}
}

func copied(dir fstest.MapFS) fstest.MapFS {
	c := fstest.MapFS{}
	for name, f := range dir {
		c[name] = f
	}
	return c
}

// last returns the version of the newest migration.
func last(t *testing.T, dir fstest.MapFS) int64 {
	t.Helper()
	h, err := generator.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return h.Last()
}

// visit goes from one stop to another and compares the catalog. Downward it undoes the migrations
// one by one; upward it applies all of them together.
func visit(t *testing.T, in *kit.Installed, stops []stop, at *int, to int, made []string) {
	t.Helper()
	for *at > to {
		if stops[*at].version > stops[*at-1].version {
			in.Migrations = stops[*at].migrations
			down(t, in)
		}
		*at--
	}
	in.Migrations = stops[to].migrations
	if *at < to {
		in.Up(t)
		*at = to
	}
	got := kit.Catalog(t, in.DB, in.File.Install.Schema)
	wanted := stops[to].yaml
	if diff := cmp.Diff(without(stops[to].catalog, made, wanted), without(got, made, wanted)); diff != "" {
		t.Fatalf("at stop %d the catalog differs from the first time (-want +got)\n%s", to, diff)
	}
}

// archives lists the tables that archive steps create. Undoing a migration keeps them.
var archives = []string{"app.old_note", "app.made"}

// createdArchives returns the archives that the history has created.
func createdArchives(stops []stop) []string {
	var made []string
	for _, name := range archives {
		if slices.ContainsFunc(stops, func(s stop) bool { return strings.Contains(s.yaml, "into: "+name) }) {
			made = append(made, name)
		}
	}
	return made
}

// without leaves out the lines about created archives that the file does not use.
func without(catalog, made []string, yaml string) []string {
	return slices.DeleteFunc(slices.Clone(catalog), func(line string) bool {
		return slices.ContainsFunc(made, func(name string) bool {
			return !strings.Contains(yaml, "into: "+name+",") && strings.Contains(line, " "+name)
		})
	})
}

// compareFresh installs the last file in a new database. Its catalog must be the same as after the
// history, except for columns and archives that stay because they contain data. If a policy ensures
// such a column again, the column keeps its default and its comment. If the policy gets another
// name, the comment keeps the former one.
func compareFresh(t *testing.T, in *kit.Installed, stops []stop, made []string, more []kit.Option) {
	t.Helper()
	s := stops[len(stops)-1]
	if s.file.cron {
		return // pg_cron exists in one database of a server
	}
	fresh := kit.Prepare(t, schema(t), s.yaml, append(more, kit.Before(applicationRoles))...)
	migrate(t, fresh, s.file, "the last file in a new database")
	yaml := s.yaml
	want := without(kit.Catalog(t, fresh.DB, fresh.File.Install.Schema), made, yaml)
	got := without(kit.Catalog(t, in.DB, in.File.Install.Schema), made, yaml)
	end := " pgretain: column of policy " // and its name, which may be a former one
	if ensuredAgain(stops) {
		end = " default "
	}
	cut := func(line string) string {
		if strings.HasPrefix(line, "column app.loan ") && strings.Contains(line, " created_at: ") {
			line, _, _ = strings.Cut(line, end)
		}
		return line
	}
	want, got = lists.Map(want, cut), lists.Map(got, cut)
	if !slices.ContainsFunc(want, func(line string) bool { return strings.Contains(line, ` "Seen At": `) }) {
		// A claim sets all columns, also one that stays.
		got = lists.Map(got, func(line string) string {
			return strings.ReplaceAll(line, `, "Seen At" = DEFAULT`, "")
		})
	}
	if diff := cmp.Diff(want, slices.DeleteFunc(got,
		func(line string) bool { return columnLeft(line, want) })); diff != "" {
		t.Errorf("a fresh install of the last file differs (-want +got)\n%s\n%s", diff, yaml)
	}
}

// ensuredAgain reports whether a stop ensures column created_at after a stop that no longer did.
func ensuredAgain(stops []stop) bool {
	ensured, left := false, false
	for _, s := range stops {
		now := strings.Contains(s.yaml, "created_at: {type: timestamp")
		if now && left {
			return true
		}
		left = left || ensured && !now
		ensured = ensured || now
	}
	return false
}

// columnLeft reports whether a line is about a column that a policy added to app.loan and that the
// new database lacks.
func columnLeft(line string, fresh []string) bool {
	return strings.HasPrefix(line, "column app.loan ") && !slices.Contains(fresh, line)
}
