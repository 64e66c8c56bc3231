package main

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// preview is one row of retention.preview with the rows of retention.blast_radius. The names are those
// of the JSON format.
type preview struct {
	Policy    string           `json:"policy"`
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

// preview shows one policy, or all, each by itself.
func (c *console) preview(ctx context.Context, args []string) error {
	policy := strings.Join(args, "")
	switch {
	case c.Limit < 0:
		return usagef("--limit must be 1 or more")
	case policy == "" && c.OlderThan+c.Scope != "":
		return usagef("--older-than and --scope need the name of a policy")
	}
	return c.with(ctx, false, func(s *session) error {
		var list []preview
		// In one snapshot, so that numbers agree with each other.
		once := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
		err := pgx.BeginTxFunc(ctx, s.conn, once, func(pgx.Tx) (err error) {
			list, err = c.previews(ctx, s, policy, "")
			return err
		})
		switch {
		case err != nil:
			return err
		case policy == "" || c.JSON:
			return c.result("previews", overview(list), "policies", list)
		}
		c.aligned(say("preview", list[0]))
		return nil
	})
}

// previews are of a policy, with its effects, or of those of a job in its order, or of all.
func (c *console) previews(ctx context.Context, s *session, policy, job string) (list []preview, err error) {
	names := []string{policy}
	if policy == "" {
		found, _ := s.conn.Query(ctx, s.statement("policies"), orNull(job)) // found gives the same error
		if names, err = pgx.CollectRows(found, pgx.RowTo[string]); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		p, err := c.previewOf(ctx, s, name, policy != "")
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

func (c *console) previewOf(ctx context.Context, s *session, policy string, effects bool) (p preview, err error) {
	var text []byte
	err = s.row(ctx, "preview", policy, orNull(c.AsOf), orNull(c.OlderThan), orNull(c.Scope), orNull(c.Limit), effects).
		Scan(&text)
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	return p, err
}

// overview is for a line for each policy, and their sum.
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

// Runs is how many runs it takes at least, 0 where one is enough.
func (p preview) Runs() int64 {
	if p.Due == nil || p.OneRun == nil || *p.OneRun <= 0 || *p.OneRun >= *p.Due {
		return 0
	}
	return (*p.Due + *p.OneRun - 1) / *p.OneRun
}

// Locks are those that its steps take, each once, with their tables.
func (p preview) Locks() (list [][2]string) {
	for _, e := range p.Effects {
		if e.Locks != nil && !slices.Contains(list, [2]string{e.Table, *e.Locks}) {
			list = append(list, [2]string{e.Table, *e.Locks})
		}
	}
	return list
}
