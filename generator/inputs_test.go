package generator

import (
	"slices"
	"strings"
	"testing"

	"pgretain/policy"
)

// TestArchiveHasNoRun checks that the table of an archive can be created outside a run, although
// its values read a join that a run reads once.
func TestArchiveHasNoRun(t *testing.T) {
	t.Parallel()
	file, list := policy.Parse("policy.yaml", []byte(`
version: 1
policies:
  notes:
    table: app.note
    due: {age: {column: made_at, older_than: 7 days}}
    then:
      - archive:
          {table: app.loan, as: l, where: "l.note_id = t.id", into: app.attic, create: true,
            join: {o: {query: "SELECT id, days FROM app.owner", where: "o.id = l.id"}},
            set: {days: o.days, run_id: run.id}}
      - delete: {table: app.loan, as: l, where: "l.note_id = t.id"}
      - delete
`))
	if list.HasErrors() {
		t.Fatal(list)
	}
	objects, list := Compile(file, commonSnapshot(t), nil)
	if list.HasErrors() {
		t.Fatal(list)
	}
	i := slices.IndexFunc(objects, func(o Object) bool { return o.Kind == KindArchive })
	if sql := objects[i].SQL; strings.Contains(sql, "$1") || !strings.Contains(sql, "app.owner") {
		t.Errorf("the table is created by\n%s", sql)
	}
}
