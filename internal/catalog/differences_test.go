package catalog_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/catalog"
)

func table(change func(*catalog.Table)) *catalog.Table {
	t := &catalog.Table{
		Schema: "app", Name: "item", Kind: "table", PrimaryKey: []string{"id"},
		Columns: []catalog.Column{{Name: "id", Type: "bigint", NotNull: true},
			{Name: "at", Type: "date", Default: "now()"}},
		Indexes: []catalog.Index{{Name: "item_pkey", Definition: "CREATE UNIQUE INDEX ...", Valid: true}},
		Referenced: []catalog.ForeignKey{
			{Name: "part_fkey", Table: "app.part", Columns: []string{"id"}, RefTable: "app.item",
				RefColumns: []string{"id"}, OnDelete: "cascade"},
		},
		Triggers: []catalog.Trigger{{Name: "note", Definition: "CREATE TRIGGER ..."}},
	}
	change(t)
	return t
}

func TestDifferences(t *testing.T) {
	t.Parallel()
	key := "app.part (id) to app.item (id) on delete "
	for name, c := range map[string]struct {
		change func(*catalog.Table)
		want   []catalog.Difference
	}{
		"nothing": {func(*catalog.Table) {}, nil},
		"the order of columns": {func(t *catalog.Table) { t.Columns[0], t.Columns[1] = t.Columns[1], t.Columns[0] },
			nil},
		"kind": {func(t *catalog.Table) { t.Kind = "view" },
			[]catalog.Difference{{What: "kind", Want: "table", Got: "view"}}},
		"children": {func(t *catalog.Table) { t.Children = []string{"app.c"} },
			[]catalog.Difference{{What: "children", Got: "app.c"}}},
		"type": {func(t *catalog.Table) { t.Columns[1].Type = "text" },
			[]catalog.Difference{{What: "column at", Want: "date DEFAULT now()", Got: "text DEFAULT now()"}}},
		"collation": {func(t *catalog.Table) { t.Columns[1].Collation = `"und-x-icu"` },
			[]catalog.Difference{{What: "column at", Want: "date DEFAULT now()",
				Got: `date COLLATE "und-x-icu" DEFAULT now()`}}},
		"NOT NULL": {func(t *catalog.Table) { t.Columns[0].NotNull = false },
			[]catalog.Difference{{What: "column id", Want: "bigint NOT NULL", Got: "bigint"}}},
		"generated": {func(t *catalog.Table) { t.Columns[1].Generated = true },
			[]catalog.Difference{{What: "column at", Want: "date DEFAULT now()", Got: "date GENERATED AS now()"}}},
		"virtual": {func(t *catalog.Table) { t.Columns[1].Generated, t.Columns[1].Virtual = true, true },
			[]catalog.Difference{{What: "column at", Want: "date DEFAULT now()", Got: "date VIRTUAL AS now()"}}},
		"identity": {func(t *catalog.Table) { t.Columns[0].Identity = "always" },
			[]catalog.Difference{{What: "column id", Want: "bigint NOT NULL", Got: "bigint NOT NULL IDENTITY always"}}},
		"renamed": {func(t *catalog.Table) { t.Columns[1].Name = "made_at" },
			[]catalog.Difference{{What: "column at", Want: "date DEFAULT now()"},
				{What: "column made_at", Got: "date DEFAULT now()"}}},
		"primary key": {func(t *catalog.Table) { t.PrimaryKey = nil },
			[]catalog.Difference{{What: "primary key", Want: "id"}}},
		"index": {func(t *catalog.Table) { t.Indexes[0].Valid = false },
			[]catalog.Difference{{What: "index item_pkey", Want: "CREATE UNIQUE INDEX ...",
				Got: "CREATE UNIQUE INDEX ... (invalid)"}}},
		"foreign key": {func(t *catalog.Table) { t.Referenced[0].OnDelete = "set null" },
			[]catalog.Difference{{What: "foreign key part_fkey of app.part", Want: key + "cascade",
				Got: key + "set null"}}},
		"deferrable": {func(t *catalog.Table) { t.Referenced[0].Deferrable = true },
			[]catalog.Difference{{What: "foreign key part_fkey of app.part", Want: key + "cascade",
				Got: key + "cascade, deferrable"}}},
		"trigger": {func(t *catalog.Table) { t.Triggers = nil },
			[]catalog.Difference{{What: "trigger note", Want: "CREATE TRIGGER ..."}}},
		"row security": {func(t *catalog.Table) { t.RowSecurity = true },
			[]catalog.Difference{{What: "row security", Want: "off", Got: "on"}}},
		"partitioning": {func(t *catalog.Table) {
			t.Kind, t.Strategy, t.KeyColumns, t.Children = "partitioned", "range", []string{"at"}, []string{"app.c"}
		},
			[]catalog.Difference{{What: "kind", Want: "table", Got: "partitioned"}, {What: "children", Got: "app.c"},
				{What: "partitioned by", Got: "range (at)"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, catalog.Differences(table(func(*catalog.Table) {}),
				table(c.change))); diff != "" {
				t.Error(diff)
			}
		})
	}
	partitions := func(children ...string) *catalog.Table {
		return table(func(t *catalog.Table) { t.Kind, t.Children = "partitioned", children })
	}
	if got := catalog.Differences(partitions("app.a"), partitions("app.b", "app.c")); len(got) > 0 {
		t.Errorf("added and removed partitions are reported: %v", got)
	}
}
