package life_test

import (
	"encoding/json"
	"testing"
)

// TestPlanAfterARename holds that "plan" lists no index to build for a table that was renamed: the
// migration renames the index.
func TestPlanAfterARename(t *testing.T) {
	t.Parallel()
	app := newApplication(t)
	for _, own := range allChanges(t) {
		if own.Name == "table_renamed" {
			c := readChange(t, own)
			app.apply(own, c)
			app.take("edit", own, c)
		}
	}
	app.must("snapshot")
	var plan struct {
		Policies []struct{ Table, Change string }
		Indexes  []struct {
			Table  string
			Serves bool // the index exists
		}
	}
	if err := json.Unmarshal([]byte(app.must("plan", "--format", "json")), &plan); err != nil {
		t.Fatal(err)
	}
	changed := 0
	for _, p := range plan.Policies {
		if p.Table == "app.login" && p.Change == "changed" {
			changed++
		}
	}
	if changed != 1 {
		t.Errorf("plan lists %d changed policies of app.login, want 1", changed)
	}
	for _, index := range plan.Indexes {
		if !index.Serves {
			t.Errorf("plan lists an index to build on %s", index.Table)
		}
	}
}
