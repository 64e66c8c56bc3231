package verifier

import (
	"testing"

	"pgretain/internal/catalog"
)

// TestTableParts checks that tableParts splits names by the tables of the snapshot, because names
// of schemas and tables may contain dots.
func TestTableParts(t *testing.T) {
	t.Parallel()
	snapshot := &catalog.Snapshot{Tables: []*catalog.Table{{Schema: "app", Name: "note"},
		{Schema: "my.app", Name: "note"}, {Schema: "app", Name: "note.old (1)"}}}
	known := &inspection{opt: Options{Snapshot: snapshot}}
	for name, want := range map[string][2]string{
		"app.note":         {"app", "note"},
		"my.app.note":      {"my.app", "note"},
		"app.note.old (1)": {"app", "note.old (1)"},
		"other.Note":       {"other", "Note"},
	} {
		if schema, table := known.tableParts(name); schema != want[0] || table != want[1] {
			t.Errorf("tableParts(%q) returns schema %q and table %q, want %q", name, schema, table, want)
		}
	}
	if schema, table := (&inspection{}).tableParts("app.note"); schema != "app" || table != "note" {
		t.Errorf("tableParts without a snapshot returns schema %q and table %q", schema, table)
	}
}
