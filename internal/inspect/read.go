package inspect

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/catalog"
	catalogsql "pgretain/sql/catalog"
)

// tableRow, and the types that follow, are what the queries of sql/catalog of these names give.
type tableRow struct {
	OID                             uint32
	Schema, Name, Kind, PartitionOf string
	Inherits, Children              []string
	RowSecurity                     bool
	Strategy                        string
	KeyColumns                      []string
}

type columnRow struct {
	OID uint32
	catalog.Column
}

type indexRow struct {
	OID uint32
	catalog.Index
}

type foreignKeyRow struct {
	Referenced uint32
	catalog.ForeignKey
}

type distributionRow struct {
	OID uint32
	catalog.Distribution
}

type triggerRow struct {
	OID uint32
	catalog.Trigger
}

// read fills in the tables that find has found, sorted by schema and name.
func (r *reader) read(ctx context.Context) ([]*catalog.Table, error) {
	tables := []*catalog.Table{}
	err := each(ctx, r, nil, "tables", func(row tableRow) {
		t := &catalog.Table{
			Schema: row.Schema, Name: row.Name, Kind: row.Kind, PartitionOf: row.PartitionOf,
			Inherits: row.Inherits, Children: row.Children, RowSecurity: row.RowSecurity,
			Strategy: row.Strategy, KeyColumns: row.KeyColumns, Columns: []catalog.Column{},
		}
		r.tables[row.OID] = t
		tables = append(tables, t)
	})
	err = each(ctx, r, err, "columns", func(row columnRow) {
		t := r.tables[row.OID]
		t.Columns = append(t.Columns, row.Column)
	})
	err = each(ctx, r, err, "indexes", func(row indexRow) {
		t := r.tables[row.OID]
		t.Indexes = append(t.Indexes, row.Index)
		if row.Primary {
			t.PrimaryKey = row.Columns
		}
	})
	for _, t := range tables {
		if len(t.PrimaryKey) == 0 {
			t.PrimaryKey = t.UniqueKey()
		}
	}
	err = each(ctx, r, err, "foreign_keys", func(row foreignKeyRow) {
		t := r.tables[row.Referenced]
		t.Referenced = append(t.Referenced, row.ForeignKey)
	})
	err = each(ctx, r, err, "triggers", func(row triggerRow) {
		t := r.tables[row.OID]
		t.Triggers = append(t.Triggers, row.Trigger)
	})
	if err == nil {
		err = r.distribution(ctx)
	}
	return tables, err
}

// distribution reads how Citus distributes the tables, where it is there: its catalog is tables of an extension.
func (r *reader) distribution(ctx context.Context) error {
	var there bool
	if err := r.tx.QueryRow(ctx, catalogsql.Query("distributes")).Scan(&there); err != nil || !there {
		return err
	}
	return each(ctx, r, nil, "distribution", func(row distributionRow) {
		d := row.Distribution
		r.tables[row.OID].Distribution = &d
	})
}

// each runs a query of sql/catalog about the tables, and calls add with each row; not after an error of another one.
func each[T any](ctx context.Context, r *reader, before error, query string, add func(T)) error {
	if before != nil {
		return before
	}
	list, err := collect[T](ctx, r, "reading "+strings.ReplaceAll(query, "_", " "), query, r.oids)
	for _, row := range list {
		add(row)
	}
	return err
}

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
