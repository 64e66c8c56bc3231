package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/cobra"
)

// previewRequest is what a preview is asked for.
type previewRequest struct {
	policy, job                    string // "" for all policies, each by itself
	asOf, olderThan, scope, format string
	limit                          int64
}

func previewCommand(c *console) *cobra.Command {
	var t target
	var r previewRequest
	command := verb("preview", func(ctx context.Context, args []string) error {
		r.policy = strings.Join(args, "")
		switch {
		case r.limit < 0:
			return usagef("--limit must be 1 or more")
		case r.policy == "" && r.olderThan+r.scope != "":
			return usagef("--older-than and --scope need the name of a policy")
		case r.job != "" && (r.policy != "" || r.limit > 0):
			return usagef("--job takes neither a policy nor --limit")
		}
		show := c.preview
		if r.job != "" {
			t.writes, show = true, c.previewJob
		}
		return t.with(ctx, func(s *session) error { return show(ctx, s, r) })
	})
	command.Args = func(command *cobra.Command, args []string) error {
		if len(args) > 1 {
			return usagef("%q takes the name of a policy and no more", command.CommandPath())
		}
		return nil
	}
	command.ValidArgsFunction = completeNames(&t.policy, policyNames, false)
	t.add(command)
	addAsOf(command, &r.asOf)
	command.Flags().StringVar(&r.olderThan, "older-than", "", "another `window` for this once, within the policy's bounds")
	command.Flags().StringVar(&r.scope, "scope", "", "a `JSON` object of columns and values that narrow the policy, such as '{\"chain_id\": 1}'")
	command.Flags().StringVar(&r.job, "job", "", "run the policies of this `job` one after the other, and undo it")
	_ = command.RegisterFlagCompletionFunc("job", completeNames(&t.policy, jobNames, true)) // fails for an unknown flag only
	command.Flags().Int64Var(&r.limit, "limit", 0, "look at so many due `rows` only; numbers are then \"or more\"")
	addFormat(command, &r.format)
	return command
}

// preview is one row of retention.preview with the rows of retention.blast_radius. The names are those
// of the JSON format.
type preview struct {
	Policy    string           `json:"policy"`
	Table     string           `json:"table"`
	AsOf      string           `json:"as_of"`
	Due       *int64           `json:"due"`
	Capped    bool             `json:"capped"`
	OneRun    *int64           `json:"one_run"`
	Bytes     *int64           `json:"bytes"`
	Oldest    *string          `json:"oldest"`
	Newest    *string          `json:"newest"`
	Kept      map[string]int64 `json:"kept"`
	KeptNull  map[string]int64 `json:"kept_null"`
	Limit     *int64           `json:"breaker_limit"`
	WouldTrip bool             `json:"would_trip"`
	StoppedBy *string          `json:"stopped_by"`
	Seconds   *float64         `json:"run_seconds"`
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
	Bytes  *int64  `json:"bytes"`
	Locks  *string `json:"locks"`
	Note   *string `json:"note"`
}

func (c *console) preview(ctx context.Context, s *session, request previewRequest) error {
	list, err := s.previews(ctx, request)
	switch {
	case err != nil:
		return err
	case request.format == "json":
		return c.document("policies", list)
	case request.policy == "":
		c.printPreviews(list)
	default:
		c.printPreview(list[0])
	}
	return nil
}

// foreseenRun is one row of retention.preview_job. The names are those of the JSON format.
type foreseenRun struct {
	Policy   string           `json:"policy"`
	State    string           `json:"state"`
	Taken    int64            `json:"taken"`
	Kept     map[string]int64 `json:"kept"`
	Related  map[string]int64 `json:"related"`
	Cascaded map[string]int64 `json:"cascaded"`
	Message  *string          `json:"message"`
}

// previewJob runs a job and undoes it.
func (c *console) previewJob(ctx context.Context, s *session, request previewRequest) error {
	list, err := rows[foreseenRun](ctx, s, "preview_job", request.job, orNull(request.asOf))
	if err != nil {
		return err
	}
	if request.format == "json" {
		return c.document("job", request.job, "runs", list)
	}
	t := table{columns: []string{"POLICY", "WOULD END", ">TAKEN", ">KEPT", ">OTHER ROWS", ""}}
	for _, r := range list {
		t.add(r.Policy, r.State, count(r.Taken), total(r.Kept), total(r.Related, r.Cascaded), orElse(r.Message, asIs, ""))
	}
	t.print(c.out)
	return nil
}

// previews reads all in one snapshot, so that numbers agree with each other.
func (s *session) previews(ctx context.Context, request previewRequest) (list []preview, err error) {
	err = pgx.BeginTxFunc(ctx, s.conn, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(pgx.Tx) error {
		list, err = s.previewEach(ctx, request.policy, "", request)
		return err
	})
	return list, err
}

// previewEach is the preview of a policy, or of those of a job in its order, or of all.
func (s *session) previewEach(ctx context.Context, policy, job string, request previewRequest) ([]preview, error) {
	names := []string{policy}
	if policy == "" {
		found, _ := s.conn.Query(ctx, s.statement("policies"), orNull(job)) // found gives the same error
		var err error
		if names, err = pgx.CollectRows(found, pgx.RowTo[string]); err != nil {
			return nil, err
		}
	}
	var list []preview
	for _, name := range names {
		p, err := s.previewOf(ctx, name, request)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// previewOf is the preview of one policy; with its effects where the request names one.
func (s *session) previewOf(ctx context.Context, name string, request previewRequest) (p preview, err error) {
	var text string
	err = s.row(ctx, "preview", name, orNull(request.asOf), orNull(request.olderThan), orNull(request.scope),
		orNull(request.limit), request.policy != "").Scan(&text)
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return p, fmt.Errorf("reading the preview: %w", err)
	}
	return p, nil
}

// printPreview is the report on one policy: what is due and what stays, whether a run would start and
// how long it would take; then what goes, table by table, the locks, and what is not known.
func (c *console) printPreview(p preview) {
	t := table{columns: []string{"POLICY", p.Policy}}
	t.add("as of", p.AsOf)
	due := p.orMore(p.Due)
	if p.Bytes != nil && *p.Bytes != 0 {
		due += ", about " + size(*p.Bytes)
	}
	t.add("due", due)
	for _, guard := range slices.Sorted(maps.Keys(p.Kept)) {
		kept := count(p.Kept[guard])
		if n := p.KeptNull[guard]; n != 0 {
			kept += fmt.Sprintf(", %s of them because it was NULL", count(n))
		}
		t.add("kept by "+guard, kept)
	}
	if p.Oldest != nil {
		t.add("oldest", *p.Oldest)
	}
	if p.Newest != nil {
		t.add("newest", *p.Newest)
	}
	if p.Due != nil && p.OneRun != nil && *p.OneRun < *p.Due {
		t.add("one run takes", fmt.Sprintf("%s, oldest first: %s runs or more", count(*p.OneRun), count((*p.Due+*p.OneRun-1) / *p.OneRun)))
	}
	if p.Seconds != nil {
		t.add("takes", fmt.Sprintf("about %s, by the pace of the last %d runs", seconds(*p.Seconds), p.BasedOn))
	}
	breaker := orElse(p.Limit, count, "none")
	if p.WouldTrip {
		breaker += ", would trip"
	}
	t.add("breaker", breaker)
	if p.StoppedBy != nil {
		t.add("would not start", *p.StoppedBy)
	}
	t.print(c.out)
	c.printEffects(p.Effects)
}

// printEffects shows what goes, changes and comes, to all that is due.
func (c *console) printEffects(list []effect) {
	if len(list) == 0 {
		return
	}
	t := table{columns: []string{"STEP", "EFFECT", "TABLE", ">ROWS", ">ABOUT", "BY FOREIGN KEY"}}
	locks := table{columns: []string{"LOCKS ON", ""}}
	var notes []string
	for _, e := range list {
		t.add(fmt.Sprint(e.Step), e.Effect, e.Table, orElse(e.Rows, count, "unknown"), orElse(e.Bytes, size, ""), orElse(e.Path, asIs, ""))
		if e.Locks != nil && !slices.ContainsFunc(locks.rows, func(row []string) bool { return row[0] == e.Table && row[1] == *e.Locks }) {
			locks.add(e.Table, *e.Locks)
		}
		if e.Note != nil {
			notes = append(notes, fmt.Sprintf("step %d, %s %s: %s", e.Step, e.Effect, e.Table, *e.Note))
		}
	}
	c.printf("\n")
	t.print(c.out)
	c.printf("\n")
	locks.print(c.out)
	if len(notes) > 0 {
		c.printf("\n%s\n", strings.Join(notes, "\n"))
	}
}

// printPreviews is one line for each policy, and their sum.
func (c *console) printPreviews(list []preview) {
	t := table{columns: []string{"POLICY", ">DUE", ">ABOUT", ">KEPT", "OLDEST", "A RUN"}}
	var all preview
	all.Due = new(int64)
	for _, p := range list {
		t.add(p.Policy, p.dueText(), orElse(p.Bytes, size, ""), p.keptText(), orElse(p.Oldest, asIs, ""), p.outcome())
		if p.Due != nil {
			*all.Due += *p.Due
		}
		all.Capped = all.Capped || p.Capped
	}
	t.add("", "", "", "", "", "")
	t.add("all", all.orMore(all.Due), "", "", "", "")
	t.print(c.out)
}

// outcome is what a run would come to.
func (p preview) outcome() string {
	switch {
	case p.StoppedBy != nil:
		return "would not start: " + *p.StoppedBy
	case p.WouldTrip:
		return "would trip: the breaker allows " + orElse(p.Limit, count, "all")
	}
	return "starts"
}

// dueText is how many rows are due; nothing where nobody has counted.
func (p *preview) dueText() string {
	if p == nil {
		return ""
	}
	return p.orMore(p.Due)
}

// keptText is how many rows guards and holds keep.
func (p *preview) keptText() string {
	if p == nil {
		return ""
	}
	return total(p.Kept)
}

// orMore writes a number that may have been counted to a limit.
func (p preview) orMore(n *int64) string {
	text := orElse(n, count, "unknown")
	if p.Capped {
		text += " or more"
	}
	return text
}

func asIs(text string) string { return text }
