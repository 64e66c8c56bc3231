package main

import (
	"context"
	"encoding/json"
	"fmt"

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
