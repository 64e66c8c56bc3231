package life_test

import (
	_ "embed"
	"slices"
	"strings"

	"pgretain/tests/pgtest"
)

// surroundings.sql returns what belongs to the application and to the server: objects outside of
// pgretain, privileges of roles outside of pgretain, memberships, holds in force and protected
// tables. The first word of a line is its kind.
//
//go:embed surroundings.sql
var surroundingsSQL string

func (app *application) surroundings() []string {
	app.t.Helper()
	return pgtest.Column[string](app.t, app, surroundingsSQL)
}

// leftOver returns the indexes of pgretain that no migration knows any more.
const leftOver = `
	SELECT x.indexrelid::regclass::text
	FROM pg_index x
	JOIN pg_class c ON c.oid = x.indexrelid
	WHERE NOT c.relispartition AND obj_description(c.oid, 'pg_class') LIKE 'pgretain: %'
	  AND NOT EXISTS (
	      SELECT FROM retention.index_definition d
	      WHERE (d.schema_name, d.index_name) = (c.relnamespace::regnamespace::text, c.relname::text))`

// within returns a function that reports whether a text is in the line.
func within(line string) func(string) bool {
	return func(text string) bool { return strings.Contains(line, text) }
}

// wantSurroundings checks that no object, hold or protection was lost, and that no role got a
// privilege, except those which the case names. It also checks that no index is left over.
func (app *application) wantSurroundings(before []string, c change) {
	app.t.Helper()
	for _, index := range pgtest.Column[string](app.t, app, leftOver) {
		app.t.Errorf("index %s is left over", index)
	}
	after := app.surroundings()
	for _, line := range before {
		if !slices.Contains(after, line) && line[:9] != "privilege" && !slices.ContainsFunc(c.Lost, within(line)) {
			app.t.Errorf("lost by what was typed: %s", line)
		}
	}
	for _, line := range after {
		if !slices.Contains(before, line) && line[:9] == "privilege" && !slices.Contains(c.Grants, line) {
			app.t.Errorf("given by what was typed: %s", line)
		}
	}
}
