package verifier

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"pgretain/policy"
)

var codeIdentity = register("V058", Reach, "a published table has no replica identity that serves")

// unidentified is a published table whose rows PostgreSQL refuses to delete or update.
type unidentified struct {
	Table                     uint32
	Event, Publication, Wrong string
	PrimaryKey                bool
}

func (v *inspection) checkIdentities(ctx context.Context, tx pgx.Tx) error {
	var tables []uint32
	var events []string
	for _, p := range v.file.Policies {
		for _, e := range v.graph.effects(p) {
			if e.event != "INSERT" {
				tables, events = append(tables, e.table.OID), append(events, e.event)
			}
		}
	}
	rows, err := seen[unidentified](ctx, tx, v.query("reach_identity"), tables, events)
	type change struct {
		table uint32
		event string
	}
	found := map[change][]unidentified{}
	for _, r := range rows {
		c := change{r.Table, r.Event}
		found[c] = append(found[c], r)
	}
	for _, p := range v.file.Policies {
		for _, e := range v.graph.effects(p) {
			for _, r := range found[change{e.table.OID, e.event}] {
				v.notIdentified(p, e, r)
			}
		}
	}
	return err
}

func (v *inspection) notIdentified(p *policy.Policy, e reachEffect, r unidentified) {
	f := Finding{Code: codeIdentity, Object: e.table.Name, Policy: p.Name, Position: p.Position,
		Message: fmt.Sprintf("policy %q cannot %s rows of published table %q", p.Name, lowerEvent[e.event], e.table.Name),
		Detail:  fmt.Sprintf("Publication %q publishes each %s, and the table has no replica identity: PostgreSQL refuses it (55000).", r.Publication, e.event),
		Hint:    fmt.Sprintf("ALTER TABLE %s REPLICA IDENTITY FULL;", e.table.SQL)}
	switch {
	case r.Wrong == "filter":
		f.Detail = fmt.Sprintf("Publication %q publishes each %s, and its WHERE reads columns that are not in the table's replica identity: PostgreSQL refuses it (42P10).", r.Publication, e.event)
	case r.Wrong == "columns":
		f.Detail = fmt.Sprintf("Publication %q publishes each %s, and its columns lack some of the table's replica identity: PostgreSQL refuses it (42P10).", r.Publication, e.event)
		f.Hint = "Name all columns of the replica identity in the publication, or publish all columns."
	case r.PrimaryKey:
		f.Hint = fmt.Sprintf("ALTER TABLE %s REPLICA IDENTITY DEFAULT;", e.table.SQL)
	}
	f.Detail += e.way()
	v.add(f)
}

var lowerEvent = map[string]string{"DELETE": "delete", "UPDATE": "update", "INSERT": "insert"}
