package pgretain_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing/fstest"

	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"pgretain"
	"pgretain/internal/sandbox"
)

// A test of a service can check its policy file. All errors are reported at once, with positions.
func ExampleParse() {
	_, err := pgretain.Parse("retention.yaml", []byte(`version: 1
policies:
  sessions_old:
    table: public.session
    due: {age: {column: seen_at, older_then: 30 days}}
    then: [delete]
`))
	list, _ := errors.AsType[pgretain.Diagnostics](err)
	for _, d := range list {
		fmt.Printf("%d:%d: %s\n", d.Line, d.Column, d.Message)
		if d.Hint != "" {
			fmt.Println("hint:", d.Hint)
		}
	}
	// Output:
	// 5:11: "age" needs the key "older_than"
	// 5:34: unknown key "older_then" in "age"
	// hint: Did you mean "older_than"?
}

// The catalog snapshot of "pgretain snapshot" stands in for the database.
func ExampleProgram_Explain() {
	program := messages()
	words, _, _ := strings.Cut(program.Explain("messages_old"), "\ntakes ")
	fmt.Println(words)
	// Output:
	// deletes   rows of public.enqueued_messages
	// ensures   column created_at timestamptz DEFAULT now()
	// due       created_at lies more than 7 days back
	// order     oldest first, by created_at, id
}

// The first call returns the runtime and the policies. With these files in the directory, the
// program is installed, and there is no next step.
func ExampleProgram_Migrations() {
	program, dir := messages(), fstest.MapFS{}
	for range 2 {
		files, err := program.Migrations(dir)
		if err != nil {
			panic(err)
		}
		fmt.Println(len(files), "files")
		for _, f := range files {
			fmt.Println(f.Name)
			dir[f.Name] = &fstest.MapFile{Data: []byte(f.Text)}
		}
	}
	// Output:
	// 4 files
	// 00001_pgretain_runtime.sql
	// 00002_retention_tables.sql
	// 00003_retention_indexes.sql
	// 00004_retention_policies.sql
	// 0 files
}

// A service applies the migrations with goose as a library, and asks whether its database does what
// the policy says. Here the database is a temporary server.
func ExampleVerify() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	server, err := sandbox.Start(ctx, sandbox.Options{})
	if err != nil {
		panic(err)
	}
	defer server.Stop()
	url := server.URL("", "")

	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		panic(err)
	}
	defer conn.Close(ctx)
	schema, err := os.ReadFile("examples/bot-queue/schema.sql")
	if err == nil {
		_, err = conn.Exec(ctx, string(schema))
	}
	if err != nil {
		panic(err)
	}

	program, dir := messages(), fstest.MapFS{}
	files, err := program.Migrations(dir)
	if err != nil {
		panic(err)
	}
	for _, f := range files {
		dir[f.Name] = &fstest.MapFile{Data: []byte(f.Text)}
	}
	pool, err := sql.Open("pgx", url)
	if err != nil {
		panic(err)
	}
	defer pool.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, pool, dir)
	if err == nil {
		_, err = provider.Up(ctx)
	}
	if err != nil {
		panic(err)
	}

	report, err := pgretain.Verify(ctx, conn, program, dir)
	if err != nil {
		panic(err)
	}
	fmt.Println(report.Conforms)
	if _, err := conn.Exec(ctx, "DROP FUNCTION retention.messages_old_take"); err != nil {
		panic(err)
	}
	if report, err = pgretain.Verify(ctx, conn, program, dir); err != nil {
		panic(err)
	}
	fmt.Println(report.Conforms)
	for _, finding := range report.Findings {
		fmt.Println(finding.Severity, finding.Code, finding.Message)
	}
	fmt.Println(strings.Contains(report.String(), "Verdict: drift"))
	// Output:
	// true
	// false
	// info V075 one role does everything (roles: none)
	// drift V002 function "retention.messages_old_take(retention.batch_range)" is missing
	// info V048 job "nightly" has not run yet
	// true
}

// messages compiles a policy for the tables of the example bot-queue.
func messages() *pgretain.Program {
	parsed, err := pgretain.Parse("retention.yaml", []byte(`version: 1
install: {roles: none, scheduler: none}
policies:
  messages_old:
    table: public.enqueued_messages
    ensure: {created_at: {type: timestamptz, default: now()}}
    due: {age: {column: created_at, older_than: 7 days}}
    then: [delete]
jobs:
  nightly: {schedule: "0 3 * * *", run: [messages_old]}
`))
	if err != nil {
		panic(err)
	}
	source, err := os.ReadFile("examples/bot-queue/retention.catalog.json")
	if err != nil {
		panic(err)
	}
	tables, err := pgretain.ReadCatalog(source)
	if err != nil {
		panic(err)
	}
	program, err := pgretain.Compile(parsed, tables)
	if err != nil {
		panic(err)
	}
	return program
}
