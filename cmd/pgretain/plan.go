package main

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"

	"pgretain/generator"
	"pgretain/internal/explain"
	"pgretain/internal/inspect"
	"pgretain/internal/install"
	"pgretain/internal/lists"
	"pgretain/policy"
	"pgretain/verifier"
)

func (c *console) planCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "plan [POLICY...]",
		Short: "Show what the policy file would change in a database, before anything is installed",
		Long: `Compares the policies of the file with the installed policies. It evaluates new, changed and removed
policies on the present rows, at most 30 of them. With names it evaluates these policies, and with
--all it evaluates every policy, also if it is unchanged. For each of them it shows how many rows are
due, what keeps other rows, and whether a run would start. It also shows the indexes that a migration
would build with their sizes, the existing indexes that the policies use, and the locks that the
migration takes.

It says what to expect of each policy: the rows that stay after its first run and their size, the rows
that go in a day, the time of a run, and what the first run takes. Each figure is measured, estimated
or unknown.

Nothing is installed, and no row is changed or locked. The command creates the runtime and the policies
in the session's temporary schema. The transaction then becomes READ ONLY and is rolled back. The role
needs TEMPORARY on the database and SELECT on the tables. A superuser is refused. Like preview, the
command counts rows, so it may read whole tables.

Exit codes:
  0  shown
  1  the policy has errors
  2  could not run: unreadable file, no connection, lack of privileges`,
		Example: `  pgretain plan
  pgretain plan sessions_expired
  pgretain plan --format markdown   # for a pull request`,
		Args:              cobra.ArbitraryArgs,
		ValidArgsFunction: proposePolicies,
		RunE:              c.inDatabases(&f, (*console).plan),
	}
	f.addPolicy(command)
	f.addCatalog(command)
	f.addMigrations(command)
	f.addDatabaseURL(command)
	f.addAsOf(command)
	command.Flags().BoolVar(&f.All, "all", false, "evaluate every policy, also if it is unchanged")
	f.addFormat(command, "`text`, markdown or json", "text", "markdown", "json")
	f.addFleet(command)
	return command
}

// plan lists the changes that a policy file would make in a database.
type plan struct {
	Database, AsOf string
	Policies       []plannedPolicy
	Indexes        []plannedIndex
	Locks          []plannedLock
}

// plannedPolicy is a policy of the file or of the database, in one of its scopes. The field Now is
// the preview of the installed policy. The field Then is the preview of the policy in the file.
// Note says why a preview or its effects are missing. Unasked is true if the policy was not
// evaluated, because plan need not or may not evaluate it.
type plannedPolicy struct {
	Policy string `json:"policy"`
	// scope of the jobs that run the policy; null for all rows
	Scope  json.RawMessage `json:"scope"`
	Table  string          `json:"table"`
	Change string          `json:"change"`          // new, changed, unchanged or removed
	Words  string          `json:"words,omitempty"` // description of the change
	Now    *preview        `json:"now"`
	Then   *preview        `json:"then"`
	Note   string          `json:"note,omitempty"`
	// what to expect of the policy in the file; null if it was not evaluated
	Forecast *forecast `json:"forecast"`
	Unasked  bool      `json:"-"`
}

// Name returns the policy with its scope.
func (p plannedPolicy) Name() string { return preview{Policy: p.Policy, Scope: p.Scope}.Name() }

// plannedIndex is an index that a migration would build. If Serves is set, the index exists already
// and serves a policy.
type plannedIndex struct {
	Policy string `json:"policy"`
	Table  string `json:"table"`
	Index  string `json:"index"`
	Serves bool   `json:"serves"`
	Bytes  *size  `json:"bytes"`
}

// plannedLock is a lock that a migration would take on a table. Locks on the new objects of the
// migration itself are not listed.
type plannedLock struct {
	Table string `json:"table"`
	Lock  string `json:"lock"`
	For   string `json:"for"`
}

// Listed returns the policies for a table of text. It leaves out the policies that plan did not
// evaluate because they are unchanged.
func (out *plan) Listed() []plannedPolicy {
	return slices.DeleteFunc(slices.Clone(out.Policies), plannedPolicy.unlisted)
}

// Unlisted returns how many policies Listed leaves out.
func (out *plan) Unlisted() int { return len(out.Policies) - len(out.Listed()) }

func (p plannedPolicy) unlisted() bool { return p.Unasked && p.Change == "unchanged" }

// LocksByTable returns the locks for a table of text. Locks on one table follow each other. Only
// the first has the name of the table.
func (out *plan) LocksByTable() (list []plannedLock) {
	for _, first := range out.Locks {
		name := first.Table
		if slices.ContainsFunc(list, func(l plannedLock) bool { return l.Table == name }) {
			continue
		}
		for _, l := range out.Locks {
			if l.Table == first.Table {
				list = append(list, plannedLock{name, l.Lock, l.For})
				name = ""
			}
		}
	}
	return list
}

// planner evaluates a policy file in one transaction that is rolled back. It installs the runtime
// and the policies in the session's temporary schema, which other sessions cannot see. Then it
// makes the transaction READ ONLY.
// https://www.postgresql.org/docs/current/runtime-config-client.html#GUC-SEARCH-PATH
type planner struct {
	*console
	tx      pgx.Tx
	project *project
	objects []generator.Object // objects that "pgretain generate" would install
	live    *session           // session with the schema of the installed runtime, which may not exist
	scratch *session           // the same session with the temporary schema
	missing []string           // missing objects of the migrations and of the installed runtime
	broken  map[string]error   // errors of policies that could not be created, by policy
	named   []string           // policies that the command line names

	policies  []generator.Object         // the policies among the objects
	installed map[string]installedPolicy // by name
	removed   []string                   // installed policies that the file does not have
	now, then map[string][]*string       // scopes of the installed policies, and of those of the file
	chosen    map[string]bool            // policies that are evaluated
}

// evaluatedAtMost is the number of policies that plan evaluates unless the command line says which.
// One policy takes about 40 ms of processor time, also if no row is due.
const evaluatedAtMost = 30

// plan shows what a policy file would change in a database, before anything is installed there.
func (c *console) plan(ctx context.Context, names []string) error {
	project, err := c.compile()
	if err == nil {
		err = project.known(names)
	}
	if err != nil {
		return err
	}
	in := project.file.Install
	var found *plan
	project.notes = nil // lint reports the warnings
	err = connected(ctx, c.DatabaseURL, func(conn *pgx.Conn) error {
		live := &session{conn: conn, install: in}
		// A plan creates temporary functions and tables, which a standby cannot.
		var standby bool
		err := live.row(ctx, "facts", in.Schema).Scan(&standby, new(string), new(string), new(bool))
		if err == nil && standby {
			err = install.Standby()
		}
		if err != nil {
			return err
		}
		if err := project.noteServer(ctx, conn, project.snapshot); err != nil {
			return err
		}
		lacking, err := verifier.BodyRights(ctx, conn, project.file, project.objects)
		if err != nil {
			return err
		}
		project.notes = append(project.notes, lacking...).Unique()
		if err := c.directoryOf(ctx, &session{conn: conn, install: in}); err != nil {
			return err
		}
		c.show(project.notes, project.sources)
		objects, err := withInstances(ctx, conn, project.objects)
		if err != nil {
			return err
		}
		tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead})
		if err != nil {
			return err
		}
		defer tx.Rollback(context.WithoutCancel(ctx)) //nolint:errcheck // the transaction is always rolled back
		p := &planner{console: c, tx: tx, project: project, objects: objects, broken: map[string]error{},
			live: live, scratch: &session{conn: conn, install: in}, named: names, chosen: map[string]bool{}}
		if err = p.install(ctx); err == nil {
			found, err = p.evaluate(ctx)
		}
		return p.live.explain(ctx, err)
	})
	if err != nil {
		return err
	}
	return c.result("plan", found, "database", found.Database, "as_of", found.AsOf, "policies", found.Policies,
		"indexes", found.Indexes, "locks", found.Locks)
}

// withInstances replaces each policy for several schemas or shards by the objects of its instances.
func withInstances(
	ctx context.Context, conn *pgx.Conn, objects []generator.Object,
) (all []generator.Object, err error) {
	for _, o := range objects {
		if o.Instances == nil {
			all = append(all, o)
			continue
		}
		_, table, _ := strings.Cut(o.Table, ".")
		instances, err := inspect.Instances(ctx, conn, o.Instances.Each, o.Name, table)
		if err != nil {
			return nil, err
		}
		for _, instance := range instances {
			all = append(all, o.Instances.In(instance)...)
		}
	}
	return all, nil
}

// begin creates the session's temporary schema, and reads which objects exist.
func (p *planner) begin(ctx context.Context) (owners []string, err error) {
	err = p.live.send(ctx, "plan_settings")
	if server, ok := errors.AsType[*pgconn.PgError](err); ok && (server.Code == "42501" || server.Code == "25006") {
		err = refuse("no temporary objects", server.Message)
	}
	if err != nil {
		return nil, err
	}
	made := []string{p.live.install.Schema + ".policy"}
	for _, o := range p.objects {
		switch o.Kind {
		case generator.KindArchive, generator.KindColumn, generator.KindIndex:
			made = append(made, o.Name)
		}
	}
	var superuser bool
	err = p.live.row(ctx, "plan_begin", orNull(p.live.install.Roles.Owner), made).
		Scan(&p.scratch.install.Schema, &superuser, &p.live.user, &p.live.database, &owners, &p.missing)
	if err == nil && superuser {
		err = refuse("superuser", p.live.user)
	}
	return owners, err
}

// trial returns the objects of the file for the session's temporary schema.
func (p *planner) trial(ctx context.Context) ([]generator.Object, error) {
	in := p.project
	objects, list := generator.CompileTrial(in.file, in.snapshot, in.history, p.scratch.install.Schema,
		p.missing)
	if list.HasErrors() {
		return nil, &problems{list, in.sources}
	}
	objects, err := withInstances(ctx, p.live.conn, objects)
	return generator.PolicyScripts(objects, policy.Roles{None: true}), err
}

// install creates the runtime in the session's temporary schema, and the policies that are
// evaluated. If there is an installed runtime, it copies its holds, settings, events and recent
// runs. It does not require tables that the migration would create.
func (p *planner) install(ctx context.Context) error {
	owners, err := p.begin(ctx)
	if err != nil {
		return err
	}
	objects, err := p.trial(ctx)
	if err != nil {
		return err
	}
	runtime, jobs := "", ""
	for _, o := range objects {
		switch o.Kind {
		case generator.KindType, generator.KindTable, generator.KindUpgrade, generator.KindFunction,
			generator.KindProcedure, generator.KindView, generator.KindInstall:
			runtime += o.SQL
		case generator.KindJob: // the scopes of jobs say which rows a policy may take
			jobs += o.SQL
		}
	}
	err = send(ctx, p.live.conn, runtime+p.scratch.statement("plan_prepare"))
	if err == nil {
		_, err = p.tx.Exec(ctx, p.scratch.statement("plan_trust"), owners)
	}
	if err != nil {
		return err
	}
	if err = send(ctx, p.live.conn, jobs); err == nil {
		err = p.choose(ctx)
	}
	if err != nil {
		return err
	}
	for _, o := range objects {
		if o.Kind == generator.KindPolicy && p.chosen[o.Name] {
			if err := p.attempt(ctx, func() error { return send(ctx, p.live.conn, o.SQL) }); err != nil {
				p.broken[o.Name] = err
			}
		}
	}
	if _, err = p.tx.Exec(ctx, p.scratch.statement("plan_dependencies"), p.missing); err != nil {
		return err
	}
	last := "SET TRANSACTION READ ONLY"
	if p.hasRuntime() {
		last = p.live.statement("plan_state") + last
	}
	return send(ctx, p.live.conn, last)
}

// hasRuntime reports whether the database has a runtime.
func (p *planner) hasRuntime() bool {
	return !slices.Contains(p.missing, p.live.install.Schema+".policy")
}

// choose reads the installed policies, and decides which policies are evaluated. Without names and
// --all these are the first policies that the file changes. A policy also counts as changed if its
// jobs have other scopes.
func (p *planner) choose(ctx context.Context) error {
	var list []installedPolicy
	var err error
	if p.hasRuntime() {
		list, err = rows[installedPolicy](ctx, p.live, "plan_policies")
	}
	if err != nil {
		return err
	}
	p.installed = map[string]installedPolicy{}
	for _, one := range list {
		p.installed[one.Name] = one
	}
	left := maps.Clone(p.installed)
	var inFile, changed []string
	for _, o := range p.objects {
		if o.Kind == generator.KindPolicy && o.Table != "" {
			p.policies, inFile = append(p.policies, o), append(inFile, o.Name)
			delete(left, o.Name)
		}
	}
	p.removed = slices.Sorted(maps.Keys(left))
	p.now = p.scopes(ctx, p.live, slices.Sorted(maps.Keys(p.installed)))
	p.then = p.scopes(ctx, p.scratch, inFile)
	for _, o := range p.policies {
		if p.change(o) != "unchanged" || !slices.EqualFunc(p.now[o.Name], p.then[o.Name], sameScope) {
			changed = append(changed, o.Name)
		}
	}
	changed = append(changed, p.removed...)
	for i, name := range slices.Concat(changed, inFile) {
		of, _, _ := strings.Cut(name, "@")
		switch {
		case len(p.named) > 0:
			p.chosen[name] = slices.Contains(p.named, of)
		default:
			p.chosen[name] = p.chosen[name] || p.All || i < min(len(changed), evaluatedAtMost)
		}
	}
	return nil
}

// change says how a policy of the file differs from the installed one.
func (p *planner) change(o generator.Object) string {
	before, found := p.installed[o.Name]
	switch {
	case !found:
		return "new"
	case o.Row.(*generator.PolicyRow).Hash == before.Hash:
		return "unchanged"
	}
	return "changed"
}

// unasked says why a policy is not evaluated, "" if it is.
func (p *planner) unasked(name, change string) string {
	switch {
	case p.chosen[name]:
		return ""
	case len(p.named) > 0:
		return say("plan: not named", nil)
	case change == "unchanged":
		return say("plan: unchanged", nil)
	}
	return say("plan: too many", evaluatedAtMost)
}

// attempt executes a function in a savepoint. After an error it rolls back to this savepoint.
func (p *planner) attempt(ctx context.Context, do func() error) error {
	return pgx.BeginFunc(ctx, p.tx, func(pgx.Tx) error { return do() })
}

// evaluate previews the chosen policies both as installed and as in the file.
func (p *planner) evaluate(ctx context.Context) (*plan, error) {
	out := &plan{p.live.database, "", []plannedPolicy{}, []plannedIndex{}, []plannedLock{}}
	err := p.live.row(ctx, "as_of", orNull(p.AsOf)).Scan(&out.AsOf)
	if err != nil {
		return nil, err
	}
	p.AsOf = out.AsOf
	for _, o := range p.policies {
		planned, err := p.policy(ctx, o)
		if err != nil {
			return nil, err
		}
		out.Policies = append(out.Policies, planned...)
	}
	for _, name := range p.removed {
		for _, scope := range p.now[name] {
			removed := plannedPolicy{Policy: name, Scope: orNullJSON(scope), Change: "removed"}
			if removed.Note = p.unasked(name, removed.Change); removed.Note != "" {
				removed.Unasked = true
			} else if removed.Now, err = p.preview(ctx, p.live, scoped{name, scope}, &removed.Note); err != nil {
				return nil, err
			}
			out.Policies = append(out.Policies, removed)
		}
	}
	return out, p.effects(ctx, out)
}

// installedPolicy is a policy of the database. Hash identifies its script, and Words describes it.
type installedPolicy struct{ Name, Hash, Words string }

// policy compares one policy of the file with the installed one, in each scope of their jobs.
func (p *planner) policy(ctx context.Context, o generator.Object) (list []plannedPolicy, err error) {
	planned := plannedPolicy{Policy: o.Name, Table: o.Table, Change: p.change(o)}
	if planned.Change != "new" {
		planned.Words = explain.Changes(p.installed[o.Name].Words, explain.Page(o.Words))
	}
	broken, now, then := p.broken[o.Name], p.now[o.Name], p.then[o.Name]
	has := func(list []*string, scope *string) bool {
		return slices.ContainsFunc(list, func(s *string) bool { return sameScope(s, scope) })
	}
	dropped := slices.DeleteFunc(slices.Clone(now), func(s *string) bool { return has(then, s) })
	for _, scope := range slices.Concat(then, dropped) {
		planned.Scope, planned.Now, planned.Then, planned.Forecast = orNullJSON(scope), nil, nil, nil
		if planned.Note = p.unasked(o.Name, planned.Change); planned.Note != "" {
			planned.Unasked = true
			list = append(list, planned)
			planned.Words = ""
			continue
		}
		if has(now, scope) {
			if planned.Now, err = p.preview(ctx, p.live, scoped{o.Name, scope}, &planned.Note); err != nil {
				return nil, err
			}
		}
		switch {
		case broken != nil:
			planned.Note = broken.Error()
		case has(then, scope):
			if planned.Then, err = p.preview(ctx, p.scratch, scoped{o.Name, scope}, &planned.Note); err != nil {
				return nil, err
			}
		default:
			planned.Note = "in the policy file no job has this scope"
		}
		if of := p.inFile(o.Name); planned.Then != nil && planned.Then.Due != nil && of != nil {
			planned.Forecast, err = p.forecast(ctx, o.Name, of, planned.Change == "changed", planned.Then)
			if err != nil {
				return nil, err
			}
		}
		if planned.Then != nil {
			for i, e := range planned.Then.Effects {
				if own, ok := strings.CutPrefix(e.Table, p.scratch.install.Schema+"."); ok {
					planned.Then.Effects[i].Table = p.live.install.Schema + "." + own
				}
			}
		}
		list = append(list, planned)
		planned.Words = "" // only once for the policy
	}
	return list, nil
}

// inFile returns a policy of the file. For an instance it returns the policy for each schema.
func (p *planner) inFile(name string) *policy.Policy {
	name, _, _ = strings.Cut(name, "@")
	return p.project.file.Policy(name)
}

// scopes returns the scopes in which the jobs of a runtime run each policy. A nil scope means all
// rows. If the scopes cannot be read, each policy has one nil scope.
func (p *planner) scopes(ctx context.Context, s *session, names []string) map[string][]*string {
	found := map[string][]*string{}
	err := p.attempt(ctx, func() (err error) {
		list, err := rows[scoped](ctx, s, "plan_scopes", names)
		for _, one := range list {
			found[one.Policy] = append(found[one.Policy], one.Scope)
		}
		return err
	})
	if err != nil {
		for _, name := range names {
			found[name] = []*string{nil}
		}
	}
	return found
}

// sameScope reports whether two scopes are equal. A nil scope means all rows.
func sameScope(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

func orNullJSON(scope *string) json.RawMessage {
	if scope == nil {
		return nil
	}
	return json.RawMessage(*scope)
}

// preview returns the preview of a policy in one of the two runtimes. If the effects cannot be
// evaluated, it returns the preview without them. If the preview fails, or if runs of the new
// policy would not start, it returns nil and stores the reason in "note".
func (p *planner) preview(ctx context.Context, s *session, one scoped, note *string) (found *preview, err error) {
	for _, effects := range []bool{true, false} {
		err = p.attempt(ctx, func() (err error) {
			found, err = p.previewOf(ctx, s, one, effects)
			return err
		})
		if err == nil && found.Due == nil && found.StoppedBy != nil && s == p.scratch {
			*note = *found.StoppedBy
			return nil, nil
		}
		server, refused := errors.AsType[*pgconn.PgError](err)
		if !refused {
			return found, err
		}
		*note = server.Message
	}
	return nil, nil
}

// effects lists the indexes and locks of a migration that installs what is missing.
func (p *planner) effects(ctx context.Context, out *plan) error {
	for _, o := range p.objects {
		for _, index := range o.Needs {
			out.Indexes = append(out.Indexes, plannedIndex{Policy: o.Name, Table: o.Table, Index: index, Serves: true})
		}
		switch {
		case !slices.Contains(p.missing, o.Name), o.Index != nil && o.Index.Renamed: // renaming locks the index alone
		case o.Kind == generator.KindColumn:
			out.lock(o.Table, "ACCESS EXCLUSIVE", "ALTER TABLE ... ADD COLUMN")
			for i, planned := range out.Policies {
				// the reason why its policies could not be evaluated
				if planned.Table == o.Table && planned.Note != "" && !planned.Unasked {
					out.Policies[i].Note += "; the migration adds column " + strings.TrimPrefix(o.Name, o.Table+".")
				}
			}
		case o.Kind == generator.KindIndex:
			index := plannedIndex{Policy: o.Policy, Table: o.Table, Index: o.Index.Definition()}
			evaluated := func(of plannedPolicy) bool {
				return of.Policy == o.Policy && of.Then != nil && of.Then.Due != nil
			}
			var content string
			// planning the query calls functions in the table's indexes
			failed := errors.ErrUnsupported
			if slices.ContainsFunc(out.Policies, evaluated) {
				failed = p.attempt(ctx, func() error { return p.tx.QueryRow(ctx, o.Index.Content()).Scan(&content) })
			}
			if failed == nil { // an error means that the migration adds a column of the index
				if err := p.live.row(ctx, "plan_index", content).Scan(&index.Bytes); err != nil {
					return err
				}
			}
			out.Indexes = append(out.Indexes, index)
			out.lock(o.Table, "SHARE UPDATE EXCLUSIVE",
				"CREATE INDEX CONCURRENTLY, which blocks neither reads nor writes")
		}
	}
	for _, planned := range out.Policies {
		if planned.Change == "new" || planned.Change == "changed" {
			out.lock(planned.Table, "ROW EXCLUSIVE", "test of its policies' statements, which change no row")
		}
	}
	return nil
}

func (out *plan) lock(table, lock, statement string) {
	out.Locks = lists.AppendUnique(out.Locks, plannedLock{Table: table, Lock: lock, For: statement})
}
