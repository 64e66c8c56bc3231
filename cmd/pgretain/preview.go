package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/spf13/cobra"
)

func (c *console) previewCommand() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "preview [POLICY]",
		Short: "Count what a run would do",
		Long: `Shows what a run of a policy would do now, or at the time of --as-of, which may be in the future. It
shows how many rows are due and how many each guard keeps. For each step and each foreign key it shows
the rows that would be deleted, updated or inserted, and the locks. It also says whether the run would
start. Without a policy, it counts the due rows of each policy in each scope of its jobs. For a policy
that cannot be evaluated it shows the reason. Changes nothing.

If all jobs of a policy have a scope, name one of these scopes with --scope.

With --job it runs the policies of a job one after the other, and rolls everything back. So each
policy sees what the policies before it left. Meanwhile it holds the locks of these runs. It ends early
if another session waits for one of them. The role must be a member of the operator.

Exit codes:
  0  counted
  1  a policy of the list could not be counted
  2  could not run: no connection, no runtime, no such policy, no privilege`,
		Example: `  pgretain preview
  pgretain preview enqueued_messages_ttl
  pgretain preview enqueued_messages_ttl --as-of 2027-01-01 --format json
  pgretain preview --job enqueued_messages   # one policy after the other`,
		Args:              between(0, 1),
		ValidArgsFunction: proposePolicy,
		RunE:              c.inDatabases(&f, (*console).preview),
	}
	f.addRuntime(command)
	f.addScope(command)
	f.addAsOf(command)
	command.Flags().StringVar(&f.OlderThan, "older-than", "",
		"use this `window` instead of the policy's, within the policy's bounds")
	command.Flags().StringVar(&f.Job, "job", "", "run the policies of this `job` one after the other, and roll back")
	_ = command.RegisterFlagCompletionFunc("job", proposeJobs) // fails only for an unknown flag
	command.Flags().Int64Var(&f.Limit, "limit", 0,
		"stop counting at this number of due `rows`; numbers are then \"at least\"")
	f.addFleet(command)
	return command
}

// preview is one row of retention.preview with its rows of retention.blast_radius. The JSON names
// belong to the command's JSON format.
type preview struct {
	Policy    string           `json:"policy"`
	Scope     json.RawMessage  `json:"scope"`
	Table     string           `json:"table"`
	AsOf      string           `json:"as_of"`
	Due       *int64           `json:"due"`
	Capped    bool             `json:"capped"`
	OneRun    *int64           `json:"one_run"`
	Bytes     *size            `json:"bytes"`
	Oldest    *string          `json:"oldest"`
	Newest    *string          `json:"newest"`
	Kept      map[string]int64 `json:"kept"`
	KeptNull  map[string]int64 `json:"kept_null"`
	Limit     *int64           `json:"breaker_limit"`
	WouldTrip bool             `json:"would_trip"`
	StoppedBy *string          `json:"stopped_by"`
	Seconds   *seconds         `json:"run_seconds"`
	BasedOn   int              `json:"based_on"`
	Effects   []effect         `json:"effects,omitempty"`
}

// effect is one row of retention.blast_radius.
type effect struct {
	Step   int     `json:"step"`
	Effect string  `json:"effect"`
	Table  string  `json:"table_name"`
	Path   *string `json:"path"`
	Rows   *int64  `json:"rows"`
	Bytes  *size   `json:"bytes"`
	Locks  *string `json:"locks"`
	Note   *string `json:"note"`
}

// foreseenRun is one row of retention.preview_job. The JSON names belong to the command's JSON
// format.
type foreseenRun struct {
	Policy    string           `json:"policy"`
	State     string           `json:"state"`
	Taken     int64            `json:"taken"`
	Kept      map[string]int64 `json:"kept"`
	Contended int64            `json:"contended"`
	Refused   int64            `json:"refused"`
	Related   map[string]int64 `json:"related"`
	Cascaded  map[string]int64 `json:"cascaded"`
	Message   *string          `json:"message"`
}

// preview shows what one policy, or each policy by itself, would take. With --job it runs a job and
// rolls it back.
func (c *console) preview(ctx context.Context, args []string) error {
	policy := strings.Join(args, "")
	switch {
	case c.Limit < 0:
		return usagef("--limit must be 1 or more")
	case policy == "" && c.OlderThan+c.Scope != "":
		return usagef("--older-than and --scope need the name of a policy")
	case c.Job != "" && (policy != "" || c.Limit > 0):
		return usagef("--job takes neither a policy nor --limit")
	}
	if err := c.readScope(); err != nil {
		return err
	}
	return c.withSession(ctx, c.Job != "", func(s *session) error {
		if c.Job != "" {
			list, err := rows[foreseenRun](ctx, s, "preview_job", c.Job, orNull(c.AsOf))
			if err != nil {
				return err
			}
			return c.result("preview of a job", list, "job", c.Job, "runs", list)
		}
		var list []preview
		// One snapshot for all queries makes the numbers agree with each other.
		once := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
		err := pgx.BeginTxFunc(ctx, s.conn, once, func(tx pgx.Tx) (err error) {
			list, err = c.previews(ctx, s, tx, policy, "")
			return err
		})
		switch {
		case err != nil:
			return err
		case policy == "" || c.JSON:
			err = c.result("previews", overview(list), "policies", list)
		default:
			c.aligned(say("preview", list[0]))
		}
		if policy == "" && slices.ContainsFunc(list, func(p preview) bool { return p.Due == nil }) {
			err = cmp.Or(err, exitError(1))
		}
		return err
	})
}

// readScope converts --scope to the JSON that SQL expects.
func (c *console) readScope() error {
	column, value, isPair := strings.Cut(c.Scope, "=")
	switch {
	case c.Scope == "" || strings.HasPrefix(c.Scope, "{"):
		return nil
	case c.Scope == "all":
		c.Scope = `"all"`
		return nil
	case !isPair || column == "":
		return usagef(`--scope needs a JSON object, COLUMN=VALUE, or "all"`)
	}
	text, err := json.Marshal(map[string]string{column: value})
	c.Scope = string(text)
	return err
}

// scoped is a policy with one of the scopes in which its jobs run it. A nil Scope means all rows.
type scoped struct {
	Policy string
	Scope  *string
}

// previews returns one preview of a policy, with its effects. Without a policy it returns a preview
// for each policy and scope, in the order of the job or the policy file. For a first run the list
// includes instances. An error in one preview of the list does not stop the others.
func (c *console) previews(ctx context.Context, s *session, in beginner, policy, job string) (list []preview,
	err error) {
	var found []scoped
	if policy == "" || c.First {
		found, err = rows[scoped](ctx, s, "policies", orNull(job), orNull(policy), orNull(c.Scope), s.order)
		if err != nil {
			return nil, err
		}
	}
	if len(found) == 0 && policy != "" {
		found = []scoped{{policy, orNull(c.Scope)}} // the preview reports an unknown policy
	}
	for _, one := range found {
		var p *preview
		err := pgx.BeginFunc(ctx, in, func(pgx.Tx) (err error) {
			p, err = c.previewOf(ctx, s, one, policy != "")
			return err
		})
		server, refused := errors.AsType[*pgconn.PgError](err)
		switch {
		case refused && policy == "" && server.Code != "57014":
			p = &preview{Policy: one.Policy, AsOf: c.AsOf, StoppedBy: &server.Message}
			p.Scope = orNullJSON(one.Scope)
		case err != nil:
			return nil, err
		}
		list = append(list, *p)
	}
	return list, nil
}

// beginner begins a transaction, or a savepoint in one.
type beginner interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}

func (c *console) previewOf(ctx context.Context, s *session, one scoped, effects bool) (*preview, error) {
	var p preview
	return &p, s.row(ctx, "preview", one.Policy, orNull(c.AsOf), orNull(c.OlderThan), one.Scope, orNull(c.Limit),
		effects).Scan(&p)
}

// scope returns the scope as JSON, or nil for none.
func (p preview) scope() *string {
	if text := string(p.Scope); text != "null" {
		return orNull(text)
	}
	return nil
}

// Name returns the policy with its scope.
func (p preview) Name() string {
	if scope := p.scope(); scope != nil {
		return p.Policy + " " + *scope
	}
	return p.Policy
}

// overview returns the data for a list of policies and their sum.
func overview(list []preview) map[string]any {
	all := preview{Due: new(int64)}
	for _, p := range list {
		if p.Due != nil {
			*all.Due += *p.Due
		}
		all.Capped = all.Capped || p.Capped
	}
	return map[string]any{"List": list, "All": all}
}

// Runs returns the least number of runs that are needed, or 0 if one is enough.
func (p preview) Runs() int64 {
	if p.Due == nil || p.OneRun == nil || *p.OneRun <= 0 || *p.OneRun >= *p.Due {
		return 0
	}
	return (*p.Due + *p.OneRun - 1) / *p.OneRun
}

// Doubts lists the notes of the effects by step and table. They say why a number is missing, and
// which triggers fire.
func (p preview) Doubts() (list []string) {
	for _, e := range p.Effects {
		line := fmt.Sprintf("step %d, %s %s: %s", e.Step, e.Effect, e.Table, e.note(1))
		if e.note(1) != "" && !slices.Contains(list, line) {
			list = append(list, line)
		}
	}
	return list
}

// Count returns the number of rows for a table. If the number may differ in the run, it returns the
// present number with a question mark.
func (e effect) Count() string {
	if e.Rows != nil {
		return cell(e.Rows)
	}
	now, err := strconv.ParseInt(e.note(0), 10, 64)
	if err != nil {
		return "unknown"
	}
	return count(now) + "?"
}

// note returns a part of the note. Part 0 is the number before " as things are: ". Part 1 is the
// reason after these words.
func (e effect) note(part int) string {
	if e.Note == nil {
		return ""
	}
	now, why, found := strings.Cut(*e.Note, " as things are: ")
	if !found {
		now, why = "", *e.Note
	}
	return []string{now, why}[part]
}

// Locks lists the tables of the steps, each once, with their locks.
func (p preview) Locks() (list [][2]string) {
	for _, e := range p.Effects {
		if e.Locks == nil {
			continue
		}
		i := slices.IndexFunc(list, func(l [2]string) bool { return l[0] == e.Table })
		if i < 0 {
			list = append(list, [2]string{e.Table, *e.Locks})
		} else if !slices.Contains(strings.Split(list[i][1], "; "), *e.Locks) {
			list[i][1] += "; " + *e.Locks
		}
	}
	return list
}

// Others returns how many rows the run takes in addition to those of the policy.
func (r foreseenRun) Others() (n int64) {
	for _, counts := range []map[string]int64{r.Related, r.Cascaded} {
		for _, rows := range counts {
			n += rows
		}
	}
	return n
}
