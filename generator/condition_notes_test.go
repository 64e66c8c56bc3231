package generator

import (
	"fmt"
	"regexp"
	"testing"

	"pgretain/internal/catalog"
	"pgretain/policy"
)

// noteOnAllSteps matches a note of step 0 in <policy>_effects.
var noteOnAllSteps = regexp.MustCompile(`\(0, ('conditions read.*?)\)`)

// TestConditionNotes checks when a preview is called uncertain: exactly if a step can change what
// the condition of another row finds.
func TestConditionNotes(t *testing.T) {
	t.Parallel()
	const reviewed = "EXISTS (SELECT FROM app.review r WHERE r.note_id = t.id AND r.open)"
	const deletesReviews = "{delete: {table: app.review, as: v, where: v.note_id = t.id}}"
	key := catalog.ForeignKey{Name: "review_note_id_fkey", Table: "app.review", Columns: []string{"note_id"},
		RefTable: "app.note", RefColumns: []string{"id"}, OnDelete: "cascade"}
	second := key
	second.Name, second.Columns = "review_other_id_fkey", []string{"other_id"}
	for _, c := range []struct {
		name, keep, then string
		keys             []catalog.ForeignKey
		noted            bool
	}{
		{name: "own children", keep: reviewed, then: "[" + deletesReviews + ", delete]"},
		{name: "no alias, sides exchanged", keep: "(SELECT count(*) FROM app.review WHERE t.id = note_id) > 3",
			then: "[" + deletesReviews + ", delete]"},
		{name: "children of another row", keep: "EXISTS (SELECT FROM app.review r WHERE r.note_id = t.owner_id)",
			then: "[" + deletesReviews + ", delete]", noted: true},
		{name: "all children", keep: "EXISTS (SELECT FROM app.review r WHERE r.open)",
			then: "[" + deletesReviews + ", delete]", noted: true},
		{name: "own children or open rows", keep: "EXISTS (SELECT FROM app.review r WHERE r.note_id = t.id OR r.open)",
			then: "[" + deletesReviews + ", delete]", noted: true},
		{name: "a step that deletes children of another row", keep: reviewed,
			then: "[{delete: {table: app.review, as: v, where: v.note_id = t.owner_id}}, delete]", noted: true},
		{name: "a step that moves children to another parent", keep: reviewed,
			then: "[{update: {table: app.review, as: v, where: v.note_id = t.id, set: {note_id: v.note_id + 1}}}, " +
				"delete]", noted: true},
		{name: "a step that closes children", keep: reviewed,
			then: "[{update: {table: app.review, as: v, where: v.note_id = t.id, set: {open: \"false\"}}}, delete]"},
		{name: "a cascade", keep: reviewed, then: "[{delete: {cascades: [app.review]}}]",
			keys: []catalog.ForeignKey{key}},
		{name: "two cascades", keep: reviewed, then: "[{delete: {cascades: [app.review]}}]",
			keys: []catalog.ForeignKey{key, second}, noted: true},
		{name: "a rank", keep: "{first: 2, per: [owner_id], order: id, among: \"" + reviewed + "\"}",
			then: "[" + deletesReviews + ", delete]", noted: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			keep := c.keep
			if keep[0] != '{' {
				keep = fmt.Sprintf("%q", keep)
			}
			file, list := policy.Parse("policy.yaml", fmt.Appendf(nil, `version: 1
policies:
  notes:
    table: app.note
    due: {age: {column: made_at, older_than: 7 days}}
    keep: {guard: %s}
    then: %s
`, keep, c.then))
			if file == nil {
				t.Fatalf("%+v", list)
			}
			snapshot := commonSnapshot(t)
			for _, table := range snapshot.Tables {
				if table.Name == "note" && table.Schema == "app" {
					table.Referenced = append(table.Referenced, c.keys...)
				}
				if table.Name == "review" && table.Schema == "app" {
					table.Columns = append(table.Columns, catalog.Column{Name: "other_id", Type: "bigint"})
				}
			}
			objects, list := Compile(file, snapshot, nil)
			if len(list) > 0 {
				t.Fatalf("%+v", list)
			}
			notes := []string{}
			for _, o := range objects {
				notes = append(notes, noteOnAllSteps.FindAllString(o.SQL, -1)...)
			}
			if (len(notes) > 0) != c.noted {
				t.Errorf("got notes %q, want notes: %v", notes, c.noted)
			}
		})
	}
}
