package formats

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pgretain/generator"
	"pgretain/internal/inspect"
	"pgretain/internal/install"
	"pgretain/tests/fixture"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// outcome has the catalogs and the chain of states after one tool applied and undid the migrations.
type outcome struct {
	first, second, back []string // catalog after the first step, the second step, and its undoing
	states              []string // chain of states of the directory
}

// TestTools applies two examples, a policy with special characters and a partitioned table with
// every tool. Each tool applies a first step and a second one, then undoes both. After each step
// the catalog must be the same as with "pgretain migrate".
func TestTools(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		start               func(*testing.T) (project, string)
		before, replacement string
	}{
		"bot-queue":  {example("bot-queue"), "older_than: 7 days", "older_than: 8 days"},
		"mutual-aid": {example("mutual-aid"), "older_than: 90 days", "older_than: 91 days"},
		"traps":      {traps, `''C:\\tmp`, `''D:\\tmp`},
		"partitions": {partitions, "kind <> 'a'", "kind <> 'b'"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, yaml := c.start(t)
			later := strings.ReplaceAll(yaml, c.before, c.replacement)
			if later == yaml {
				t.Fatalf("the policy file does not contain %q", c.before)
			}
			var want outcome
			for _, tool := range toolsUnderTest {
				if tool.format == generator.Plain && name == "partitions" {
					continue // PostgreSQL names the indexes of the partitions; tests/migrators has such a table
				}
				got := applyAndUndo(t, p, tool, yaml, later)
				if want.first == nil {
					want = got
					if len(want.first) < 300 || cmp.Equal(want.first, want.second) {
						t.Fatalf("the catalogs have %d and %d lines, want at least 300 and a difference",
							len(want.first), len(want.second))
					}
				}
				if tool.format == generator.Plain { // it builds indexes by other statements
					got.states = want.states
				}
				if diff := cmp.Diff(want, got, cmp.AllowUnexported(outcome{})); diff != "" {
					t.Fatalf("%s leads to another catalog than pgretain (-want +got)\n%s", tool.name, diff)
				}
			}
		})
	}
}

// applyAndUndo applies two steps with a tool and undoes them. The database must be as it was
// before.
func applyAndUndo(t *testing.T, start project, tool tool, yaml, later string) (l outcome) {
	t.Helper()
	p, in := &start, start.in
	p.format, p.dir = tool.format, fstest.MapFS{}
	schema := in.File.Install.Schema
	before := withoutUsage(kit.Catalog(t, in.DB, schema), in.File.Install.Roles.Owner)
	first := migrations(p, p.generate(t, yaml))
	tool.up(t, p)
	l.first = kit.Catalog(t, in.DB, schema)
	checkRecorded(t, p, tool.name == "pgretain")
	second := migrations(p, p.generate(t, later))
	tool.up(t, p)
	l.second = kit.Catalog(t, in.DB, schema)
	removal := migrations(p, p.generateRemoval(t))
	tool.up(t, p)
	if diff := cmp.Diff(before, withoutVersions(withoutUsage(kit.Catalog(t, in.DB, schema),
		in.File.Install.Roles.Owner), schema)); diff != "" {
		t.Fatalf("%s: after the step that removes everything the catalog differs (-want +got)\n%s", tool.name, diff)
	}
	tool.down(t, p, removal)
	if diff := cmp.Diff(l.second, kit.Catalog(t, in.DB, schema)); diff != "" {
		t.Fatalf("%s: undoing the removal does not restore the second step (-want +got)\n%s", tool.name, diff)
	}
	tool.down(t, p, second)
	l.back = kit.Catalog(t, in.DB, schema)
	if diff := cmp.Diff(l.first, l.back); diff != "" {
		t.Fatalf("%s: undoing the second step does not restore the first (-want +got)\n%s", tool.name, diff)
	}
	tool.down(t, p, first)
	versions, runtime := pgx.Identifier{schema, "goose_db_version"}.Sanitize(), pgx.Identifier{schema}.Sanitize()
	in.DB.Exec(t, tool.leaves+"; DROP TABLE IF EXISTS "+versions+"; DROP SCHEMA IF EXISTS "+runtime)
	if diff := cmp.Diff(before, withoutUsage(kit.Catalog(t, in.DB, schema), in.File.Install.Roles.Owner)); diff != "" {
		t.Fatalf("%s: after undoing all steps the catalog differs (-want +got)\n%s", tool.name, diff)
	}
	l.states = p.states(t)
	if tool.format == generator.Flyway {
		checkFlyway(t, p.dir)
	}
	return l
}

// withoutVersions leaves out the tools' tables of versions, and the schema of the runtime.
func withoutVersions(catalog []string, schema string) []string {
	return slices.DeleteFunc(catalog, func(line string) bool {
		return strings.Contains(line, "goose_db_version") || strings.Contains(line, "schema_version") ||
			strings.Contains(line, "schema "+schema)
	})
}

// checkRecorded checks that pgretain does not take migrations for pending that another tool has
// applied. The argument want is true if pgretain itself applied them.
func checkRecorded(t *testing.T, p *project, want bool) {
	t.Helper()
	known, err := install.Status(t.Context(), p.in.URL(kit.Migrator), p.dir,
		install.Options{Install: p.in.File.Install})
	got := slices.ContainsFunc(known, func(m install.Migration) bool { return m.State != "not recorded" })
	if err != nil || got != want {
		t.Errorf("%s: pgretain finds recorded migrations: %t, want %t; %v", p.format, got, want, err)
	}
	var refused *install.Error
	if _, err := p.in.TryUp(t); !want && !errors.As(err, &refused) {
		t.Errorf("%s: pgretain must refuse to migrate after another tool did: %v", p.format, err)
	}
	for _, all := range []bool{false, true} {
		if want || p.format != generator.Goose {
			continue
		}
		_, err := p.in.TryDown(t, all)
		command := regexp.MustCompile(`: goose -dir '.*' postgres "\$DATABASE_URL" down-to \d+$`)
		if diagnostics := install.Diagnostics(err); len(diagnostics) != 1 || !command.MatchString(diagnostics[0].Hint) {
			t.Errorf("down (all: %t) after goose's up must give goose's command as the hint: %+v", all, diagnostics)
		}
	}
}

// withoutUsage leaves out the owner's USAGE on the application's schemas. Undoing does not revoke
// it, because something else may need it.
func withoutUsage(catalog []string, owner string) []string {
	return slices.DeleteFunc(catalog, func(line string) bool {
		return strings.HasPrefix(line, "grant schema ") && strings.HasSuffix(line, " to "+owner+": USAGE")
	})
}

// migrations counts the files of a step that a tool applies one by one.
func migrations(p *project, files []string) int {
	n := 0
	for _, name := range files {
		switch {
		case p.format == generator.Flyway && versioned.MatchString(name),
			p.format == generator.Psql && strings.HasSuffix(name, ".up.sql"),
			p.format == generator.Plain && strings.HasSuffix(name, ".up.sql"),
			p.format == generator.Goose,
			p.format == generator.Tern:
			n++
		}
	}
	return n
}

func example(name string) func(*testing.T) (project, string) {
	return func(t *testing.T) (project, string) {
		dir := "../../examples/" + name
		yaml := fixture.ReadFile(t, dir, "retention.yaml")
		return project{in: kit.ShippedFiles(t, dir), snapshot: kit.Snapshot(t, dir)}, yaml
	}
}

// trapsPolicy contains text that one of the tools might interpret. The text is in a name, an index,
// a default, a comment, a row of the runtime's tables, a function and a job.
const trapsPolicy = `version: 1
install:
  search_path: [public, '"path {{ .p }} ${p} :x"']
policies:
  traps:
    description: "{{ .x }} ${x} +goose Down :x \\q $$ it's"
    table: 'public."no {{ .t }} ${t} :x"'
    ensure: {seen: {type: text, default: "'{{ .d }} ${d} :x +goose Up \\ ;'"}}
    where: 'kind IN (''{{ .x }}'', ''${x}'', ''it''''s; :x'', E''C:\\tmp\t'', ''-- +goose Down'',
      ''---- create above / drop below ----'', ''---- tern: disable-tx ----'', ''$$ $function$'', ''\q'')'
    due: {age: {column: at, older_than: 30 days}}
    keep: {starred: 'note = $x$ {{ .x }} ; :x $x$ OR note = U&''\0041 ${y}'''}
    then: [update: {set: {note: "'{{ \"{{\" }} ${flyway:user} :''x'' \\echo'"}}, delete]
jobs:
  'traps': {schedule: "*/5 * * * *", run: [traps]}
`

func traps(t *testing.T) (project, string) {
	const schema = `CREATE TABLE public."no {{ .t }} ${t} :x" (
		id bigint PRIMARY KEY, kind text, note text, at timestamptz NOT NULL)`
	in := kit.Prepare(t, schema, trapsPolicy, kit.On(pgtest.CronServer(t)))
	snapshot, _, err := inspect.Snapshot(t.Context(), in.Conn(t), inspect.Request{
		Tables:     []string{"public.no {{ .t }} ${t} :x"},
		SearchPath: in.File.Install.SearchPath,
		Runtime:    in.File.Install.Schema,
	})
	if err != nil {
		t.Fatal(err)
	}
	return project{in: in, snapshot: snapshot}, trapsPolicy
}

const partitionsPolicy = `version: 1
policies:
  events:
    table: event
    where: kind <> 'a'
    due: {age: {column: at, older_than: 7 days}}
    then: [delete]
`

// partitions returns a project whose table gets other partitions after the snapshot, before the
// files are applied. Its second step also builds an index, and undoing that step drops the index.
func partitions(t *testing.T) (project, string) {
	const schema = `
		CREATE TABLE event (id bigint, at timestamptz, kind text, PRIMARY KEY (id, at)) PARTITION BY RANGE (at);
		CREATE TABLE event_1 PARTITION OF event FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
		CREATE TABLE event_2 PARTITION OF event FOR VALUES FROM ('2024-02-01') TO ('2024-03-01')`
	in := kit.Prepare(t, schema, partitionsPolicy, kit.On(pgtest.Database(t)))
	if _, list := in.Compile(t, partitionsPolicy); len(list) > 0 {
		t.Fatal(list)
	}
	in.DB.Exec(t, "SET ROLE "+kit.Migrator+`; DROP TABLE event_1;
		CREATE TABLE event_3 PARTITION OF event FOR VALUES FROM ('2024-03-01') TO ('2024-04-01')`)
	return project{in: in, snapshot: in.Catalog}, partitionsPolicy
}
