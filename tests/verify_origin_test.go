package tests

import (
	"bytes"
	"strings"
	"testing"

	"pgretain/generator"
	"pgretain/tests/kit"
	"pgretain/verifier"
)

// TestOrigins holds that verify tells why a database differs from the policy file: the change was
// not generated, its migration is not applied, or somebody changed the database by hand.
func TestOrigins(t *testing.T) {
	t.Parallel()
	const before = `
policies:
  orders: {table: app.orders, due: {age: {column: at, older_than: 30 days}}, then: [delete]}
  tokens: {table: app.token, due: {age: {column: at, older_than: 30 days}}, then: [delete]}
`
	after := strings.ReplaceAll(before, "30 days", "40 days")
	in := kit.Install(t, `
		CREATE SCHEMA app;
		CREATE TABLE app.orders (id bigint PRIMARY KEY, at timestamptz NOT NULL);
		CREATE TABLE app.token (id bigint PRIMARY KEY, at timestamptz NOT NULL)`, before)
	report := func(o verifier.Options, want ...string) {
		t.Helper()
		wanted, _ := in.Compile(t, after)
		history, err := generator.Read(in.Migrations)
		if err != nil {
			t.Fatal(err)
		}
		o.Snapshot, o.History, o.Tool.Directory = in.Catalog, history, "db/migrations"
		r, err := verifier.Verify(t.Context(), in.Conn(t), in.File, wanted, o)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := r.Text(&text, false, false); err != nil {
			t.Fatal(err)
		}
		for _, line := range want {
			if !strings.Contains(text.String(), line) {
				t.Errorf("the report does not contain %s:\n%s", line, text.String())
			}
		}
		if !strings.Contains(text.String(), "Found 1 drift, ") {
			t.Errorf("one cause must be one finding:\n%s", text.String())
		}
	}
	report(verifier.Options{}, "the policy file has changes that no migration has: orders, tokens [V015]",
		"detail: This explains 6 further findings (V003, V009).",
		`hint: Run "pgretain generate", then migrate: pgretain migrate up.`)
	report(verifier.Options{Tool: verifier.Tool{Format: generator.Tern}},
		`hint: Run "pgretain generate", then migrate: tern migrate --migrations 'db/migrations'.`)

	in.Generate(t, after)
	const file = "00005_retention_policies.sql"
	const unapplied = `migration "` + file + `" is not applied [V011]`
	report(verifier.Options{Pending: []string{file}}, unapplied, "hint: pgretain migrate up",
		"detail: This explains 6 further findings (V003, V009).")
	for format, command := range map[generator.Format]string{
		generator.Goose:  `goose -dir 'db/migrations' postgres "$DATABASE_URL" up`,
		generator.Tern:   "tern migrate --migrations 'db/migrations'",
		generator.Flyway: "flyway migrate",
		generator.Psql:   "psql -v ON_ERROR_STOP=1 -f 'db/migrations/" + file + "'",
	} { // the registry shows it, without the records of the tool
		report(verifier.Options{Tool: verifier.Tool{Format: format}}, unapplied, "hint: "+command+"\n")
	}

	in.Up(t)
	in.Exec(t, "UPDATE retention.policy SET batch_rows = 7 WHERE name = 'tokens'")
	report(verifier.Options{}, `policy "tokens" differs in the registry: batch_rows [V009]`,
		"hint: Execute its statements again, from the Up part of db/migrations/"+file+
			", as the role that the migration uses.")
}
