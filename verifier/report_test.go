package verifier

import (
	"testing"

	"pgretain/internal/catalog"
)

// A schema may have a dot in its name, and so may a table; the snapshot knows which it is.
func TestTableSQL(t *testing.T) {
	t.Parallel()
	snapshot := &catalog.Snapshot{Tables: []*catalog.Table{{Schema: "app", Name: "note"}, {Schema: "my.app", Name: "note"}, {Schema: "app", Name: "note.old (1)"}}}
	known := &inspection{opt: Options{Snapshot: snapshot}}
	for name, want := range map[string]string{
		"app.note": "app.note", "my.app.note": `"my.app".note`, "app.note.old (1)": `app."note.old (1)"`, "other.Note": `other."Note"`,
	} {
		if got := known.table(name); got != want {
			t.Errorf("%s is written %s, want %s", name, got, want)
		}
	}
	if got := (&inspection{}).table("app.note"); got != "app.note" {
		t.Errorf("without a snapshot: %s", got)
	}
}
