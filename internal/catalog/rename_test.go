package catalog_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/internal/catalog"
)

// TestRename renames a schema, and checks that only names of tables and SQL change.
func TestRename(t *testing.T) {
	t.Parallel()
	made := func(schema string) *catalog.Snapshot {
		return &catalog.Snapshot{Version: catalog.Version, Tables: []*catalog.Table{{
			Schema: schema, Name: "item", Kind: "table", PartitionOf: schema + ".items",
			Inherits: []string{"app.base"}, Children: []string{schema + ".old"},
			Columns: []catalog.Column{{Name: "a.kind", Type: schema + ".kind", Base: "text",
				Collation: schema + `."de"`, Default: "'x'::" + schema + ".kind", Labels: []string{"a.one"},
				Values: []string{"a.two"}},
				{Name: "id", Type: "bigint", Default: "nextval('" + schema + ".item_id_seq'::regclass)"}},
			Indexes: []catalog.Index{{Name: "i", Definition: "CREATE INDEX i ON " + schema +
				".item USING btree (((a.note)) " + schema + ".text_ops)",
				Predicate: schema + ".f(a.id) AND note <> 'a.item'::text"}},
			Referenced: []catalog.ForeignKey{{Name: "a.key", Table: schema + ".part", RefTable: schema + ".item"}},
			Triggers: []catalog.Trigger{{Name: "g", Definition: "CREATE TRIGGER g BEFORE DELETE ON " + schema +
				".item FOR EACH ROW WHEN ((old.note <> 'a.item'::text)) EXECUTE FUNCTION " + schema + ".g('a.item')"}},

			Distribution: &catalog.Distribution{Kind: "hash", With: schema + ".item"},
		}}}
	}
	got := made("a")
	if err := got.Rename("a", "tenant"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(made("tenant"), got); diff != "" {
		t.Error(diff)
	}
	twice := &catalog.Snapshot{Tables: []*catalog.Table{{Schema: "a", Name: "x"}, {Schema: "b", Name: "x"}}}
	if twice.Rename("a", "b") == nil {
		t.Error("Rename gave two tables one name")
	}
}
