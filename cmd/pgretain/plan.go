package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"pgretain/generator"
	"pgretain/internal/explain"
	"pgretain/internal/inspect"
	"pgretain/internal/install"
	"pgretain/internal/quote"
	"pgretain/internal/report"
	"pgretain/policy"
)

// planRequest is the command line of plan.
type planRequest struct {
	paths
	asOf, format string
}

func planCommand(c *console) *cobra.Command {
	var r planRequest
	command := verb("plan", func(ctx context.Context, _ []string) error {
		p, err := r.plan(ctx)
		if err != nil {
			return err
		}
		if r.format == "json" {
			return report.WriteJSON(c.out, p)
		}
		c.printPlan(p, r.format == "markdown")
		return nil
	})
	r.add(command, "policy", "catalog", "migrations", "database-url")
	addAsOf(command, &r.asOf)
	addFormats(command, &r.format, "text, markdown or json", "text", "markdown", "json")
	return command
}

// plan is what a policy file would mean on a database, in version 1 of its JSON form.
type plan struct {
	Version  int             `json:"version"`
	Database string          `json:"database"`
	AsOf     string          `json:"as_of"`
	Policies []plannedPolicy `json:"policies"`
	Indexes  []plannedIndex  `json:"indexes"`
	Locks    []plannedLock   `json:"locks"`
}

// plannedPolicy is a policy of the file or of the database. Now is what its runs find as it is installed, Then what they
// would find; Note says why one of them is missing.
type plannedPolicy struct {
	Policy string   `json:"policy"`
	Table  string   `json:"table"`
	Change string   `json:"change"`          // new, changed, unchanged or removed
	Words  string   `json:"words,omitempty"` // what changes
	Now    *preview `json:"now"`
	Then   *preview `json:"then"`
	Note   string   `json:"note,omitempty"`
}

// plannedIndex is an index that a migration would build, or one of the table's own that serves a policy (Serves).
type plannedIndex struct {
	Policy string `json:"policy"`
	Table  string `json:"table"`
	Index  string `json:"index"`
	Serves bool   `json:"serves"`
	Bytes  *int64 `json:"bytes"`
}

// plannedLock is a lock that a migration would take, where the new page does not need one only for its own objects.
type plannedLock struct {
	Table string `json:"table"`
	Lock  string `json:"lock"`
	For   string `json:"for"`
}

// planner evaluates a policy file in one transaction that is rolled back. The runtime and the pages are installed in the
// session's temporary schema, which nobody else sees; then the transaction becomes READ ONLY.
// https://www.postgresql.org/docs/current/runtime-config-client.html#GUC-SEARCH-PATH
type planner struct {
	request planRequest
	tx      pgx.Tx
	objects []generator.Object // as generate would install them
	live    *session           // of the runtime that is installed; its schema need not be there
	scratch *session           // of the temporary schema
	broken  map[string]error   // pages that could not be made, by policy
}

func (r planRequest) plan(ctx context.Context) (*plan, error) {
	compiled, err := r.compile()
	if err != nil {
		return nil, err
	}
	project, objects, in := compiled.project, compiled.objects, compiled.file.Install
	project.file.Install.Roles = policy.Roles{None: true} // in the scratch one role does everything
	pages, err := project.compile(compiled.snapshot, compiled.history)
	if err != nil {
		return nil, err
	}
	conn, err := install.Connect(ctx, r.url)
	if err != nil {
		return nil, err
	}
	defer closeConn(conn)
	if objects, err = withMembers(ctx, conn, objects); err == nil {
		pages, err = withMembers(ctx, conn, pages)
	}
	if err != nil {
		return nil, err
	}
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
	if err != nil {
		return nil, err
	}
	defer tx.Rollback(context.WithoutCancel(ctx)) //nolint:errcheck // nothing is to be kept
	p := &planner{request: r, tx: tx, objects: objects, broken: map[string]error{},
		live: &session{conn: conn, install: in}, scratch: &session{conn: conn, install: in}}
	if err := p.install(ctx, generator.Pages(pages, project.file.Install.Roles)); err != nil {
		return nil, p.live.explain(err)
	}
	found, err := p.evaluate(ctx)
	return found, p.live.explain(err)
}

// withMembers has policies for each schema or shard as one for every place that there is.
func withMembers(ctx context.Context, conn *pgx.Conn, objects []generator.Object) (all []generator.Object, err error) {
	for _, o := range objects {
		if o.Members == nil {
			all = append(all, o)
			continue
		}
		_, table, _ := strings.Cut(o.Table, ".")
		places, err := inspect.Places(ctx, conn, o.Members.Each, o.Name, table)
		if err != nil {
			return nil, err
		}
		for _, place := range places {
			all = append(all, o.Members.In(place)...)
		}
	}
	return all, nil
}

// install makes the runtime and the pages in the session's temporary schema.
func (p *planner) install(ctx context.Context, pages []generator.Object) error {
	err := p.execute(ctx, p.live.statement("plan_settings"))
	if server, ok := errors.AsType[*pgconn.PgError](err); ok && (server.Code == "42501" || server.Code == "25006") {
		err = &install.CheckError{Message: "a plan needs temporary objects: " + server.Message,
			Hint: "Connect to the primary, as a role with the privilege TEMPORARY on the database."}
	}
	if err != nil {
		return err
	}
	var superuser bool
	var owners []string
	err = p.live.row(ctx, "plan_begin", orNull(p.live.install.Roles.Owner)).
		Scan(&p.scratch.install.Schema, &superuser, &p.live.user, &p.live.database, &owners)
	if err != nil {
		return err
	}
	if superuser {
		return &install.CheckError{
			Message: fmt.Sprintf("role %q is a superuser", p.live.user),
			Detail:  "A plan evaluates the policies' expressions, and with them functions of the application, in its own session.",
			Hint:    "Connect as the role that migrates, or as one that may only read the tables.",
		}
	}
	if err := p.runtime(ctx, pages, owners); err != nil {
		return err
	}
	for _, o := range pages {
		if o.Kind != generator.KindPolicy {
			continue
		}
		if err := p.attempt(ctx, func() error { return p.execute(ctx, p.renamed(o.SQL)) }); err != nil {
			p.broken[o.Name] = err
		}
	}
	if err := p.state(ctx, pages); err != nil {
		return err
	}
	return p.execute(ctx, "SET TRANSACTION READ ONLY")
}

// runtime makes what pages need before them.
func (p *planner) runtime(ctx context.Context, objects []generator.Object, trusted []string) error {
	var text strings.Builder
	for _, o := range objects {
		switch o.Kind {
		case generator.KindType, generator.KindTable, generator.KindUpgrade, generator.KindFunction, generator.KindProcedure,
			generator.KindView, generator.KindInstall:
			text.WriteString(p.renamed(o.SQL))
		}
	}
	text.WriteString(p.scratch.statement("plan_prepare"))
	if err := p.execute(ctx, text.String()); err != nil {
		return err
	}
	_, err := p.live.conn.Exec(ctx, p.scratch.statement("plan_trust"), trusted)
	return err
}

// state gives the scratch what the live runtime knows, where one is installed that this role may read, and takes away
// what pages expect of tables that the migration makes.
func (p *planner) state(ctx context.Context, objects []generator.Object) error {
	made := []string{}
	for _, o := range objects {
		if o.Kind == generator.KindArchive {
			made = append(made, o.Name)
		}
	}
	missing, err := p.missing(ctx, made)
	if err != nil {
		return err
	}
	if _, err := p.live.conn.Exec(ctx, p.scratch.statement("plan_expects"), missing); err != nil {
		return err
	}
	if there, err := p.missing(ctx, []string{p.live.install.Schema + ".policy"}); err != nil || len(there) > 0 {
		return err
	}
	return p.execute(ctx, p.live.statement("plan_state"))
}

// missing are the relations, "schema.name", that are not there.
func (p *planner) missing(ctx context.Context, names []string) (missing []string, err error) {
	err = p.live.row(ctx, "plan_missing", names).Scan(&missing)
	return missing, err
}

// renamed is the text of an object with the temporary schema in place of the install's. What is there is temporary,
// and cannot be UNLOGGED besides.
func (p *planner) renamed(sql string) string {
	own := regexp.MustCompile(`\b` + regexp.QuoteMeta(p.live.install.Schema) + `\.`)
	sql = own.ReplaceAllLiteralString(sql, quote.Ident(p.scratch.install.Schema)+".")
	return strings.ReplaceAll(sql, "CREATE UNLOGGED TABLE ", "CREATE TABLE ")
}

// execute runs statements one after the other.
func (p *planner) execute(ctx context.Context, text string) error {
	_, err := p.live.conn.PgConn().Exec(ctx, text).ReadAll()
	return err
}

// attempt undoes what fails, and goes on.
func (p *planner) attempt(ctx context.Context, do func() error) error {
	return pgx.BeginFunc(ctx, p.tx, func(pgx.Tx) error { return do() })
}

// evaluate previews every policy as it is installed and as the file has it.
func (p *planner) evaluate(ctx context.Context) (*plan, error) {
	var version string
	var zone any
	if err := p.scratch.row(ctx, "zone").Scan(&zone, &version); err != nil {
		return nil, err
	}
	out := &plan{Version: 1, Database: p.live.database, Policies: []plannedPolicy{}, Indexes: []plannedIndex{},
		Locks: []plannedLock{}}
	if err := p.live.row(ctx, "as_of", orNull(p.request.asOf)).Scan(&out.AsOf); err != nil {
		return nil, err
	}
	installed, err := p.installed(ctx)
	if err != nil {
		return nil, err
	}
	for _, o := range p.objects {
		if o.Kind != generator.KindPolicy || o.Table == "" {
			continue
		}
		planned, err := p.policy(ctx, o, installed, out.AsOf)
		if err != nil {
			return nil, err
		}
		out.Policies = append(out.Policies, planned)
		delete(installed, o.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(installed)) {
		removed := plannedPolicy{Policy: name, Change: "removed"}
		if removed.Now, err = p.preview(ctx, p.live, name, out.AsOf, &removed.Note); err != nil {
			return nil, err
		}
		out.Policies = append(out.Policies, removed)
	}
	return out, p.effects(ctx, out)
}

// installedPolicy is a policy of the database: what makes its page what it is, and what the page says.
type installedPolicy struct{ Name, Hash, Words string }

// installed are the policies in the database, by name; none where there is no runtime.
func (p *planner) installed(ctx context.Context) (map[string]installedPolicy, error) {
	policies := map[string]installedPolicy{}
	if missing, err := p.missing(ctx, []string{p.live.install.Schema + ".policy"}); err != nil || len(missing) > 0 {
		return policies, err
	}
	list, err := rows[installedPolicy](ctx, p.live, "plan_policies")
	for _, one := range list {
		policies[one.Name] = one
	}
	return policies, err
}

// policy compares one policy of the file with what is installed.
func (p *planner) policy(ctx context.Context, o generator.Object, installed map[string]installedPolicy, asOf string) (plannedPolicy, error) {
	planned := plannedPolicy{Policy: o.Name, Table: o.Table, Change: "new"}
	var err error
	if before, there := installed[o.Name]; there {
		var hash string
		if err := json.Unmarshal(o.Row["hash"], &hash); err != nil {
			return planned, err
		}
		planned.Change = "changed"
		if before.Hash == hash {
			planned.Change = "unchanged"
		}
		planned.Words = explain.Changes(before.Words, explain.Page(o.Words))
		if planned.Now, err = p.preview(ctx, p.live, o.Name, asOf, &planned.Note); err != nil {
			return planned, err
		}
	}
	if broken := p.broken[o.Name]; broken != nil {
		planned.Note = broken.Error()
		return planned, nil
	}
	planned.Then, err = p.preview(ctx, p.scratch, o.Name, asOf, &planned.Note)
	return planned, err
}

// preview is what a runtime says of a policy: without its effects, and without anything but a note, where that fails.
func (p *planner) preview(ctx context.Context, s *session, name, asOf string, note *string) (found *preview, err error) {
	for _, request := range []previewRequest{{policy: name, asOf: asOf}, {asOf: asOf}} {
		failed := p.attempt(ctx, func() error {
			one, err := s.previewOf(ctx, name, request)
			if err == nil {
				found = &one
			}
			return err
		})
		server, ok := errors.AsType[*pgconn.PgError](failed)
		if !ok {
			return found, failed
		}
		*note = server.Message
	}
	return nil, nil
}

// effects are the indexes and locks of a migration that installs what is missing.
func (p *planner) effects(ctx context.Context, out *plan) error {
	for _, o := range p.objects {
		for _, index := range o.Needs {
			out.Indexes = append(out.Indexes, plannedIndex{Policy: o.Name, Table: o.Table, Index: index, Serves: true})
		}
		if !slices.Contains([]generator.Kind{generator.KindColumn, generator.KindIndex}, o.Kind) {
			continue
		}
		if missing, err := p.missing(ctx, []string{o.Name}); err != nil || len(missing) == 0 {
			if err != nil {
				return err
			}
			continue
		}
		if o.Kind == generator.KindColumn {
			out.lock(o.Table, "ACCESS EXCLUSIVE", "ALTER TABLE ... ADD COLUMN")
			out.note(o.Table, "the migration adds column "+strings.TrimPrefix(o.Name, o.Table+"."))
			continue
		}
		index := plannedIndex{Policy: o.Policy, Table: o.Table, Index: o.Definition}
		var content string
		failed := p.attempt(ctx, func() error { return p.live.conn.QueryRow(ctx, o.Content).Scan(&content) })
		if failed == nil { // otherwise it is on a column that the migration adds
			if err := p.live.row(ctx, "plan_index", content).Scan(&index.Bytes); err != nil {
				return err
			}
		}
		out.Indexes = append(out.Indexes, index)
		out.lock(o.Table, "SHARE UPDATE EXCLUSIVE", "CREATE INDEX CONCURRENTLY: reads and writes go on")
	}
	for _, planned := range out.Policies {
		if planned.Change == "new" || planned.Change == "changed" {
			out.lock(planned.Table, "ROW EXCLUSIVE", "the statements of its policies are tried with no row")
		}
	}
	return nil
}

func (out *plan) lock(table, lock, why string) {
	if one := (plannedLock{Table: table, Lock: lock, For: why}); !slices.Contains(out.Locks, one) {
		out.Locks = append(out.Locks, one)
	}
}

// note adds to why the policies of a table were not evaluated.
func (out *plan) note(table, text string) {
	for i, planned := range out.Policies {
		if planned.Table == table && planned.Note != "" {
			out.Policies[i].Note += "; " + text
		}
	}
}

// printPlan writes tables for people, or for a pull request.
func (c *console) printPlan(p *plan, markdown bool) {
	c.printf("As of %s in database %q. Nothing was installed.\n\n", p.AsOf, p.Database)
	policies := table{columns: []string{"POLICY", "CHANGE", ">DUE NOW", ">DUE THEN", ">KEPT", "A RUN"}}
	for _, planned := range p.Policies {
		policies.add(planned.Policy, planned.Change, planned.Now.dueText(), planned.Then.dueText(), planned.Then.keptText(), planned.outcome())
	}
	policies.write(c.out, markdown)
	for _, planned := range p.Policies {
		if planned.Words != "" {
			c.printf("\n%s: %s\n", planned.Policy, planned.Words)
		}
	}
	effects := table{columns: []string{"POLICY", "STEP", "EFFECT", "TABLE", ">ROWS", ">ABOUT", "BY FOREIGN KEY"}}
	for _, planned := range p.Policies {
		if planned.Then == nil || planned.Change == "unchanged" {
			continue
		}
		for _, e := range planned.Then.Effects {
			effects.add(planned.Policy, fmt.Sprint(e.Step), e.Effect, e.Table, orElse(e.Rows, count, "unknown"), orElse(e.Bytes, size, ""), orElse(e.Path, asIs, ""))
		}
	}
	indexes := table{columns: []string{"POLICY", "INDEX", ">ABOUT"}}
	for _, index := range p.Indexes {
		if index.Serves {
			indexes.add(index.Policy, index.Index+" of "+index.Table+" serves", "")
		} else {
			indexes.add(index.Policy, index.Index, orElse(index.Bytes, size, "unknown"))
		}
	}
	locks := table{columns: []string{"LOCKS OF THE MIGRATION", "ON", "FOR"}}
	for _, lock := range p.Locks {
		locks.add(lock.Lock, lock.Table, lock.For)
	}
	for _, t := range []table{effects, indexes, locks} {
		if len(t.rows) > 0 {
			c.printf("\n")
			t.write(c.out, markdown)
		}
	}
}

// outcome is what a run of the policy as the file has it would come to.
func (p plannedPolicy) outcome() string {
	switch {
	case p.Change == "removed":
		return "no longer runs"
	case p.Then == nil:
		return "not evaluated: " + p.Note
	}
	return p.Then.outcome()
}
