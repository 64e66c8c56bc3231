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

	"pgretain/internal/quote"
)

const previewHelp = `Shows what a run of a policy would do now, or at another instant, which may lie in the future: rows
that are due, rows that each guard keeps, what each step and each foreign key behind it takes, changes
or adds, which locks that needs, and whether the run would start at all. Without a policy it counts what is
due under each. Changes nothing.

Exit codes:
  0  counted
  2  could not run: no connection, no runtime, no such policy, no rights`

// previewRequest is what a preview is asked for.
type previewRequest struct {
	asOf, olderThan, scope string
	limit                  int64
}

func previewCommand(c *console) *cobra.Command {
	var t target
	var request previewRequest
	var format string
	command := &cobra.Command{
		Use:   "preview [POLICY]",
		Short: "Count what a run would do",
		Long:  previewHelp,
		Example: "  pgretain preview\n  pgretain preview enqueued_messages_ttl\n" +
			"  pgretain preview enqueued_messages_ttl --as-of 2027-01-01 --format json",
		Args:              atMostOneArgument("the name of a policy"),
		ValidArgsFunction: policyNames(&t),
		RunE: func(command *cobra.Command, args []string) error {
			if err := request.check(format, args); err != nil {
				return err
			}
			return c.preview(command.Context(), &t, args, request, format)
		},
	}
	t.add(command)
	request.add(command)
	addFormat(command, &format)
	return command
}

func (r *previewRequest) add(command *cobra.Command) {
	addAsOf(command, &r.asOf)
	command.Flags().StringVar(&r.olderThan, "older-than", "", "another `window` for this once, within the policy's bounds")
	command.Flags().StringVar(&r.scope, "scope", "", "a `JSON` object of columns and values that narrow the policy, such as '{\"chain_id\": 1}'")
	command.Flags().Int64Var(&r.limit, "limit", 0, "look at so many due `rows` only; numbers are then \"or more\"")
}

func (r *previewRequest) check(format string, args []string) error {
	switch {
	case r.limit < 0:
		return &usageError{"--limit must be 1 or more"}
	case len(args) == 0 && r.olderThan+r.scope != "":
		return &usageError{"--older-than and --scope need the name of a policy"}
	}
	return checkFormat(format)
}

func addAsOf(command *cobra.Command, asOf *string) {
	command.Flags().StringVar(asOf, "as-of", "", "the `instant` that ages are measured at (default: now), in the install's time zone\nunless it says otherwise")
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

func (c *console) preview(ctx context.Context, t *target, args []string, request previewRequest, format string) error {
	s, err := t.open(ctx)
	if err != nil {
		return err
	}
	defer s.close()
	list, err := s.previews(ctx, args, request)
	if err != nil {
		return s.explain(err)
	}
	switch {
	case format == "json":
		return c.previewJSON(list)
	case len(args) == 0:
		c.printPreviews(list)
	default:
		c.printPreview(list[0])
	}
	return nil
}

// previews reads all in one snapshot, so that numbers agree with each other.
func (s *session) previews(ctx context.Context, names []string, request previewRequest) ([]preview, error) {
	tx, err := s.conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }() // it only reads
	read, err := s.previewStatement(ctx, tx, request)
	if err != nil {
		return nil, err
	}
	detailed := len(names) > 0
	if !detailed {
		rows, _ := tx.Query(ctx, s.statement("policies")) // rows give the same error
		if names, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
			return nil, err
		}
	}
	var list []preview
	for _, name := range names {
		var text string
		err := tx.QueryRow(ctx, s.statement(read), name, orNull(request.asOf), orNull(request.olderThan),
			orNull(request.scope), orNoLimit(request.limit), detailed).Scan(&text)
		if err != nil {
			return nil, err
		}
		var p preview
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			return nil, fmt.Errorf("reading the preview: %w", err)
		}
		list = append(list, p)
	}
	return list, nil
}

// previewStatement is what the runtime can be asked: an older one counts what is due, all of it.
func (s *session) previewStatement(ctx context.Context, tx pgx.Tx, request previewRequest) (string, error) {
	var foresees bool
	err := tx.QueryRow(ctx, s.statement("foresees"), quote.Ident(s.install.Schema)).Scan(&foresees)
	switch {
	case err != nil || foresees:
		return "preview", err
	case request.limit > 0:
		return "", &usageError{"--limit needs a newer runtime than the database has: run \"pgretain generate\" and \"pgretain migrate up\""}
	}
	return "preview_older", nil
}

// previewVersion is that of the JSON format: it grows when something in it means something else.
const previewVersion = 1

func (c *console) previewJSON(list []preview) error {
	encoder := json.NewEncoder(c.out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(struct {
		Version  int       `json:"version"`
		Policies []preview `json:"policies"`
	}{previewVersion, list})
}

// orNull sends an empty text as NULL.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// orNoLimit sends 0 as NULL.
func orNoLimit(n int64) *int64 {
	if n == 0 {
		return nil
	}
	return &n
}

// printPreview is the report on one policy: what is due and what stays, whether a run would start and
// how long it would take; then what goes, table by table, the locks, and what is not known.
func (c *console) printPreview(p preview) {
	t := table{columns: []string{"POLICY", p.Policy}}
	t.add("as of", p.AsOf)
	t.add("due", p.orMore(p.Due)+about(p.Bytes))
	for _, guard := range slices.Sorted(maps.Keys(p.Kept)) {
		t.add("kept by "+guard, count(p.Kept[guard])+undecided(p.KeptNull[guard]))
	}
	for _, line := range []struct {
		name  string
		value *string
	}{{"oldest", p.Oldest}, {"newest", p.Newest}} {
		if line.value != nil {
			t.add(line.name, *line.value)
		}
	}
	if p.Due != nil && p.OneRun != nil && *p.OneRun < *p.Due {
		t.add("one run takes", fmt.Sprintf("%s, oldest first: %s runs or more", count(*p.OneRun), count((*p.Due+*p.OneRun-1) / *p.OneRun)))
	}
	if p.Seconds != nil {
		t.add("takes", fmt.Sprintf("about %s, by the pace of the last %d runs", seconds(*p.Seconds), p.BasedOn))
	}
	t.add("breaker", p.breaker())
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
		t.add(fmt.Sprint(e.Step), e.Effect, e.Table, orNone(e.Rows, "unknown"), orEmpty(e.Bytes), orText(e.Path))
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
	var due int64
	more := ""
	for _, p := range list {
		kept := int64(0)
		for _, n := range p.Kept {
			kept += n
		}
		state := "starts"
		switch {
		case p.StoppedBy != nil:
			state = "would not start: " + *p.StoppedBy
		case p.WouldTrip:
			state = "would trip: the breaker allows " + orNone(p.Limit, "all")
		}
		t.add(p.Policy, p.orMore(p.Due), orEmpty(p.Bytes), count(kept), orText(p.Oldest), state)
		if p.Due != nil {
			due += *p.Due
		}
		if p.Capped {
			more = " or more"
		}
	}
	t.add("", "", "", "", "", "")
	t.add("all", count(due)+more, "", "", "", "")
	t.print(c.out)
}

// orMore writes a number that may have been counted to a limit.
func (p preview) orMore(n *int64) string {
	text := orNone(n, "unknown")
	if p.Capped {
		text += " or more"
	}
	return text
}

func (p preview) breaker() string {
	limit := orNone(p.Limit, "none")
	if p.WouldTrip {
		return limit + ", would trip"
	}
	return limit
}

// undecided tells of rows that a guard kept because it was NULL.
func undecided(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %s of them because it was NULL", count(n))
}

// orNone writes a number, or none where there is none.
func orNone(n *int64, none string) string {
	if n == nil {
		return none
	}
	return count(*n)
}

// about writes an estimated size behind a number of rows.
func about(bytes *int64) string {
	if bytes == nil || *bytes == 0 {
		return ""
	}
	return ", about " + size(*bytes)
}

func orEmpty(bytes *int64) string {
	if bytes == nil {
		return ""
	}
	return size(*bytes)
}

func orText(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// size writes bytes as PostgreSQL does, in units of 1024.
func size(n int64) string {
	units := []string{"bytes", "kB", "MB", "GB", "TB", "PB"}
	i := 0
	for n >= 10*1024 && i < len(units)-1 {
		n = (n + 512) / 1024
		i++
	}
	return count(n) + " " + units[i]
}
