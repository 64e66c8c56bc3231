package inspect

import (
	"context"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/catalog"
)

// Survey reads all tables of an application, and what the server knows of their sizes.
func Survey(ctx context.Context, conn *pgx.Conn, request Request) (*catalog.Snapshot, *catalog.Statistics, error) {
	request.All = true
	var snapshot *catalog.Snapshot
	var statistics *catalog.Statistics
	err := pgx.BeginTxFunc(ctx, conn, readOnly, func(tx pgx.Tx) (err error) {
		r := &reader{tx: tx, tables: map[uint32]*catalog.Table{}}
		if snapshot, _, err = r.snapshot(ctx, request); err != nil {
			return err
		}
		statistics, err = r.statistics(ctx)
		return err
	})
	return snapshot, statistics, err
}

func (r *reader) statistics(ctx context.Context) (*catalog.Statistics, error) {
	s := &catalog.Statistics{Tables: map[string]catalog.Growth{}, Ranges: map[string]catalog.Range{}}
	server, err := collect[catalog.Server](ctx, r, "reading server", "server")
	for _, s.Server = range server {
	}
	err = each(ctx, r, err, "growth", func(g catalog.Growth) { s.Tables[g.Name] = g })
	return s, each(ctx, r, err, "ranges", func(g catalog.Range) { s.Ranges[g.Table+"."+g.Column] = g })
}
