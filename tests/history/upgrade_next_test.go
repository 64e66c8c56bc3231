package history

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/generator"
	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// nextVersion is what a later version of the runtime may do: a column and an index for a table that has
// rows, a view that shows the column between two others, and a function that is no longer there.
func nextVersion(t *testing.T, wanted []generator.Object) []generator.Object {
	t.Helper()
	next := slices.DeleteFunc(slices.Clone(wanted), func(o generator.Object) bool { return o.Name == "retention.settle()" })
	if len(next) != len(wanted)-1 {
		t.Fatal("there is no retention.settle()")
	}
	for i, o := range next {
		if o.Name == "retention.status" {
			next[i].SQL = strings.NewReplacer("r.id AS last_run,", "r.id AS last_run, r.origin AS last_origin,",
				"x.message\n", "x.message, x.origin\n").Replace(o.SQL)
		}
	}
	return append(next, generator.Object{
		Kind: generator.KindUpgrade, Name: "2/zz_run_origin", As: generator.AsOwner,
		SQL: "ALTER TABLE retention.run ADD COLUMN IF NOT EXISTS origin text NOT NULL DEFAULT 'schedule';\n" +
			"CREATE INDEX IF NOT EXISTS run_origin ON retention.run (origin);\n",
		Drop: "ALTER TABLE retention.run DROP COLUMN IF EXISTS origin;\n",
	})
}

func TestNextVersionOfTheRuntime(t *testing.T) {
	t.Parallel()
	const policy = "policies: {p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}}"
	in := kit.Install(t, "CREATE TABLE m (id int PRIMARY KEY, at timestamptz NOT NULL)", policy)
	in.DB.Exec(t, "INSERT INTO m SELECT n, '2024-01-01' FROM generate_series(1, 5) n")
	in.Done("p", "2024-02-01 00:00+00")
	columns := runtimeColumns(t, in)
	rows := runtimeRows(t, in, columns)
	before := kit.Catalog(t, in.DB, "retention")
	wanted, list := in.Compile(t, policy)
	if list.HasErrors() {
		t.Fatal(list)
	}
	files := grow(t, in, nextVersion(t, wanted))
	in.Up(t)
	after := kit.Catalog(t, in.DB, "retention")
	wantRows(t, in, columns, rows, "after the upgrade")
	if got := in.Rows("SELECT last_run IS NOT NULL, last_origin FROM retention.status WHERE policy = 'p'"); !slices.Equal(got, []string{"(t,schedule)"}) {
		t.Errorf("the view shows %q", got)
	}
	if pgtest.Value[bool](t, in, "SELECT to_regprocedure('retention.settle()') IS NOT NULL") {
		t.Error("the function that is gone is there")
	}
	last := files[len(files)-1] // policies that call it are replaced before
	if want := "-- pgretain: drop function \"retention.settle()\""; !strings.Contains(last.Content(), want) {
		t.Errorf("%s does not drop the function that is gone", last.Name)
	}
	in.DB.Exec(t, "INSERT INTO m SELECT n, '2024-01-01' FROM generate_series(1, 3) n")
	if o := in.Done("p", "2024-02-01 00:00+00"); o.Taken != 3 {
		t.Errorf("took %d", o.Taken)
	}

	down(t, in)
	wantCatalog(t, in, before, "after the way back")
	in.Done("p", "2024-02-01 00:00+00")
	in.Up(t)
	if diff := cmp.Diff(after, kit.Catalog(t, in.DB, "retention")); diff != "" {
		t.Errorf("the second time the upgrade gives another catalog (-want +got)\n%s", diff)
	}
}
