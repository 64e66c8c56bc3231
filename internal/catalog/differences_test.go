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

func property(kind, name string) catalog.Property { return catalog.Property{Kind: kind, Name: name} }

func TestDifferences(t *testing.T) {
	t.Parallel()
	key := "app.part (id) to app.item (id) on delete "
	partKey := catalog.Property{Kind: "foreign key", Name: "part_fkey", Of: "app.part"}
	for name, c := range map[string]struct {
		change func(*catalog.Table)
		want   []catalog.Difference
	}{
		"nothing": {func(*catalog.Table) {}, nil},
		"the order of columns": {func(t *catalog.Table) { t.Columns[0], t.Columns[1] = t.Columns[1], t.Columns[0] },
			nil},
		"kind": {func(t *catalog.Table) { t.Kind = "view" },
			[]catalog.Difference{{property("kind", ""), "table", "view"}}},
		"children": {func(t *catalog.Table) { t.Children = []string{"app.c"} },
			[]catalog.Difference{{property("children", ""), "", "app.c"}}},
		"type": {func(t *catalog.Table) { t.Columns[1].Type = "text" },
			[]catalog.Difference{{property("column", "at"), "date DEFAULT now()", "text DEFAULT now()"}}},
		"collation": {func(t *catalog.Table) { t.Columns[1].Collation = `"und-x-icu"` },
			[]catalog.Difference{{Property: property("column", "at"), Want: "date DEFAULT now()",
				Got: `date COLLATE "und-x-icu" DEFAULT now()`}}},
		"NOT NULL": {func(t *catalog.Table) { t.Columns[0].NotNull = false },
			[]catalog.Difference{{property("column", "id"), "bigint NOT NULL", "bigint"}}},
		"generated": {func(t *catalog.Table) { t.Columns[1].Generated = true },
			[]catalog.Difference{{property("column", "at"), "date DEFAULT now()", "date GENERATED AS now()"}}},
		"virtual": {func(t *catalog.Table) { t.Columns[1].Generated, t.Columns[1].Virtual = true, true },
			[]catalog.Difference{{property("column", "at"), "date DEFAULT now()", "date VIRTUAL AS now()"}}},
		"identity": {func(t *catalog.Table) { t.Columns[0].Identity = "always" },
			[]catalog.Difference{{property("column", "id"), "bigint NOT NULL", "bigint NOT NULL IDENTITY always"}}},
		"renamed": {func(t *catalog.Table) { t.Columns[1].Name = "made_at" },
			[]catalog.Difference{{property("column", "at"), "date DEFAULT now()", ""},
				{property("column", "made_at"), "", "date DEFAULT now()"}}},
		"primary key": {func(t *catalog.Table) { t.PrimaryKey = nil },
			[]catalog.Difference{{property("primary key", ""), "id", ""}}},
		"index": {func(t *catalog.Table) { t.Indexes[0].Valid = false },
			[]catalog.Difference{{property("index", "item_pkey"), "CREATE UNIQUE INDEX ...",
				"CREATE UNIQUE INDEX ... (invalid)"}}},
		"foreign key": {func(t *catalog.Table) { t.Referenced[0].OnDelete = "set null" },
			[]catalog.Difference{{partKey, key + "cascade", key + "set null"}}},
		"deferrable": {func(t *catalog.Table) { t.Referenced[0].Deferrable = true },
			[]catalog.Difference{{partKey, key + "cascade", key + "cascade, deferrable"}}},
		"trigger": {func(t *catalog.Table) { t.Triggers = nil },
			[]catalog.Difference{{property("trigger", "note"), "CREATE TRIGGER ...", ""}}},
		"row security": {func(t *catalog.Table) { t.RowSecurity = true },
			[]catalog.Difference{{property("row security", ""), "off", "on"}}},
		"partitioning": {func(t *catalog.Table) {
			t.Kind, t.Strategy, t.KeyColumns, t.Children = "partitioned", "range", []string{"at"}, []string{"app.c"}
		},
			[]catalog.Difference{{property("kind", ""), "table", "partitioned"},
				{property("children", ""), "", "app.c"},
				{property("partitioned by", ""), "", "range (at)"}}},
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

// TestDifferencesOfEqualWords compares tables whose properties differ although lists of their names
// read alike.
func TestDifferencesOfEqualWords(t *testing.T) {
	t.Parallel()
	key := func(columns ...string) *catalog.Table {
		return table(func(t *catalog.Table) { t.PrimaryKey = columns })
	}
	if got := catalog.Differences(key("a", "b"), key("a, b")); len(got) != 1 {
		t.Errorf("got differences %v, want one of the primary key", got)
	}
	if got := catalog.Differences(key(), table(func(t *catalog.Table) { t.PrimaryKey = []string{} })); len(got) > 0 {
		t.Errorf("an empty list and a missing one differ: %v", got)
	}
}
