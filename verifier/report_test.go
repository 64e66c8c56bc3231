package verifier

import (
	"testing"

	"pgretain/internal/catalog"
)

// A schema may have a dot in its name, and so may a table; the snapshot knows which it is.
func TestTableParts(t *testing.T) {
	t.Parallel()
	snapshot := &catalog.Snapshot{Tables: []*catalog.Table{{Schema: "app", Name: "note"},
		{Schema: "my.app", Name: "note"}, {Schema: "app", Name: "note.old (1)"}}}
	known := &inspection{opt: Options{Snapshot: snapshot}}
	for name, want := range map[string][2]string{
		"app.note": {"app", "note"}, "my.app.note": {"my.app", "note"}, "app.note.old (1)": {"app",
			"note.old (1)"}, "other.Note": {"other", "Note"},
	} {
		if schema, table := known.tableParts(name); schema != want[0] || table != want[1] {
			t.Errorf("%s is %q in %q, want %q", name, table, schema, want)
		}
	}
	if schema, table := (&inspection{}).tableParts("app.note"); schema != "app" || table != "note" {
		t.Errorf("without a snapshot: %q, %q", schema, table)
	}
}
