package inspect

import (
	"context"
	"fmt"

	"pgretain/internal/catalog"
)

// read fills in the tables that find has found, sorted by schema and name.
func (r *reader) read(ctx context.Context) ([]*catalog.Table, error) {
	tables, err := r.readTables(ctx)
	if err != nil {
		return nil, fmt.Errorf("reading tables: %w", err)
	}
	for _, part := range []struct {
		name string
		read func(context.Context) error
	}{
		{"columns", r.readColumns},
		{"indexes", r.readIndexes},
		{"foreign keys", r.readForeignKeys},
		{"triggers", r.readTriggers},
	} {
		if err := part.read(ctx); err != nil {
			return nil, fmt.Errorf("reading %s: %w", part.name, err)
		}
	}
	return tables, nil
}

func (r *reader) readTables(ctx context.Context) ([]*catalog.Table, error) {
	type row struct {
		OID                             uint32
		Schema, Name, Kind, PartitionOf string
		Inherits, Children              []string
		RowSecurity                     bool
		Strategy                        string
		KeyColumns                      []string
	}
	rows, err := collect[row](ctx, r, "tables", r.oids)
	if err != nil {
		return nil, err
	}
	tables := make([]*catalog.Table, 0, len(rows))
	for _, row := range rows {
		t := &catalog.Table{
			Schema: row.Schema, Name: row.Name, Kind: row.Kind, PartitionOf: row.PartitionOf,
			Inherits: row.Inherits, Children: row.Children, RowSecurity: row.RowSecurity,
			Strategy: row.Strategy, KeyColumns: row.KeyColumns, Columns: []catalog.Column{},
		}
		r.tables[row.OID] = t
		tables = append(tables, t)
	}
	return tables, nil
}

func (r *reader) readColumns(ctx context.Context) error {
	type row struct {
		OID uint32
		catalog.Column
	}
	rows, err := collect[row](ctx, r, "columns", r.oids)
	for _, row := range rows {
		t := r.tables[row.OID]
		t.Columns = append(t.Columns, row.Column)
	}
	return err
}

func (r *reader) readIndexes(ctx context.Context) error {
	type row struct {
		OID uint32
		catalog.Index
	}
	rows, err := collect[row](ctx, r, "indexes", r.oids)
	for _, row := range rows {
		t := r.tables[row.OID]
		if row.Primary {
			t.PrimaryKey = row.Columns
		}
		t.Indexes = append(t.Indexes, row.Index)
	}
	return err
}

func (r *reader) readForeignKeys(ctx context.Context) error {
	type row struct {
		Referencing, Referenced uint32
		From, To                bool
		catalog.ForeignKey
	}
	rows, err := collect[row](ctx, r, "foreign_keys", r.oids)
	for _, row := range rows {
		if row.From {
			t := r.tables[row.Referencing]
			t.ForeignKeys = append(t.ForeignKeys, row.ForeignKey)
		}
		if t := r.tables[row.Referenced]; t != nil && row.To {
			t.Referenced = append(t.Referenced, row.ForeignKey)
		}
	}
	return err
}

func (r *reader) readTriggers(ctx context.Context) error {
	type row struct {
		OID uint32
		catalog.Trigger
	}
	rows, err := collect[row](ctx, r, "triggers", r.oids)
	for _, row := range rows {
		t := r.tables[row.OID]
		t.Triggers = append(t.Triggers, row.Trigger)
	}
	return err
}
