package generator

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// findTable looks a policy's table up in the snapshot and refuses what cannot be purged row by row.
func (c *compiler) findTable(p *policy.Policy) *catalog.Table {
	table := c.tableNamed(p.Table.String())
	if table == nil {
		c.refuse(p.Table.Position, codeNoTable,
			fmt.Sprintf("table %q is not in the catalog snapshot", p.Table),
			orHint(didYouMean(p.Table.String(), tableNames(c.snapshot)), `Run "pgretain snapshot" after the table was created.`))
		return nil
	}
	switch {
	case table.Kind != "table" && table.Kind != "partitioned":
		c.refuse(p.Table.Position, codeTableKind, fmt.Sprintf("%q is a %s, not a table", p.Table, table.Kind),
			"Name the table that holds the rows.")
	case table.PartitionOf != "":
		c.refuse(p.Table.Position, codeTableKind, fmt.Sprintf("%q is a partition of %q", p.Table, table.PartitionOf),
			"Name the partitioned table.")
	case table.Kind == "table" && len(table.Children) > 0:
		c.refuse(p.Table.Position, codeTableKind, fmt.Sprintf("%q has inheritance children (%s)", p.Table, strings.Join(table.Children, ", ")),
			"Keys are not unique across inheritance children; give each of them its own policy.")
	case c.foreignPartition(table) != "" && !p.Partitions:
		c.refuse(p.Table.Position, codeTableKind, fmt.Sprintf("partition %q of %q is a foreign table", c.foreignPartition(table), p.Table),
			"Its rows are on another server, and cannot be found again by their place: write a policy there.")
	case len(table.PrimaryKey) == 0:
		c.refuse(p.Table.Position, codeNoKey, fmt.Sprintf("table %q has no primary key", p.Table),
			"A run remembers where it was by the primary key, and holds name rows by it: add one.")
	default:
		return c.withEnsured(p, table)
	}
	return nil
}

// foreignPartition is the name of a foreign table among the partitions of a table, "" for none.
func (c *compiler) foreignPartition(table *catalog.Table) string {
	for _, t := range c.kin(table) {
		if t.Kind == "foreign" {
			return tableName(t)
		}
	}
	return ""
}

// checkNames refuses names that would break a line: generated SQL is laid out, and read by tools,
// line by line.
func (c *compiler) checkNames() {
	for _, table := range c.snapshot.Tables {
		for _, name := range append([]string{table.Schema, table.Name}, columnNames(table)...) {
			if comment(name) != name {
				c.refuse(c.positionOf(table), codeTableKind,
					fmt.Sprintf("name %q in table %q has a control character", name, tableName(table)), "Rename it.")
			}
		}
	}
}

// positionOf is where the policy file names a table first; a table that is only reached has none.
func (c *compiler) positionOf(table *catalog.Table) diag.Position {
	for _, p := range c.file.Policies {
		if p.Table.String() == tableName(table) {
			return p.Table.Position
		}
	}
	return c.file.Install.Position
}

// withEnsured is the table as it will be when the columns are there that any of its policies makes
// sure of.
func (c *compiler) withEnsured(p *policy.Policy, table *catalog.Table) *catalog.Table {
	copied := *table
	copied.Columns = slices.Clone(table.Columns)
	for _, other := range c.file.Policies {
		for _, column := range other.Ensure {
			if other.Table.String() == p.Table.String() && copied.Column(column.Name) == nil {
				copied.Columns = append(copied.Columns, catalog.Column{Name: column.Name, Type: formatType(column.Type)})
			}
		}
	}
	for _, column := range copied.Columns {
		if isGeneratedName(column.Name) {
			c.refuse(p.Table.Position, codeReservedName,
				fmt.Sprintf("column %q of table %q has the name of a variable of the generated function", column.Name, p.Table), "")
			return nil
		}
	}
	return &copied
}

// generatedNames are the variables of generated functions; a column of such a name would be taken
// for them, or they for it.
var generatedNames = []string{
	"v_as_of", "v_out", "v_boundary", "v_rels", "v_tids", "v_locked", "v_judged", "v_held",
	"v_rows", "v_batch", "v_copied", "v_count", "p_scope", "p_older_than", "v_found", "v_group", "v_passed", "v_surplus", "v_cutoff", "p_run", "p_pass", "p_as_of",
	"p_limit", "p_guards", "p_rel", "v_rel", "v_part", "p_runs", "v_far", "v_ahead", "v_ignored",
}

// generatedPrefixes begin the names of variables that are numbered.
var generatedPrefixes = []string{"v_tids_", "v_rels_", "v_cutoff_", "v_position_", "v_else_", "v_at_least_", "v_at_most_", "v_up_to_", "v_mark_", "v_scope_", "v_window_", "v_new_", "v_written_"}

func isGeneratedName(name string) bool {
	return slices.Contains(generatedNames, name) || slices.ContainsFunc(generatedPrefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// formatType gives the common spellings of a type the form in which the catalog prints them.
func formatType(name string) string {
	known := map[string]string{
		"timestamptz": "timestamp with time zone", "timestamp": "timestamp without time zone",
		"int8": "bigint", "bigserial": "bigint", "int4": "integer", "int": "integer", "serial": "integer",
		"int2": "smallint", "float8": "double precision", "float4": "real", "bool": "boolean",
		"varchar": "character varying", "decimal": "numeric",
	}
	lower := strings.ToLower(strings.Join(strings.Fields(name), " "))
	if full, ok := known[lower]; ok {
		return full
	}
	return lower
}

func qualified(t *catalog.Table) sqlText { return sqlText(quote.Qualified(t.Schema, t.Name)) }

// messageName is a table's name inside a text literal.
func messageName(t *catalog.Table) string {
	return strings.ReplaceAll(comment(tableName(t)), "'", "''")
}

// comment makes a name safe for a comment: one line, nothing that could end it.
func comment(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text)
}

func tableNames(s *catalog.Snapshot) []string {
	names := make([]string, len(s.Tables))
	for i, t := range s.Tables {
		names[i] = tableName(t)
	}
	return names
}

func orHint(first, second string) string {
	if first != "" {
		return first
	}
	return second
}

func (c *compiler) refuse(at diag.Position, code, message, hint string) {
	c.diags.Add(diag.Diagnostic{Position: at, Code: code, Message: message, Hint: hint})
}

func columnNamed(name string) func(catalog.Column) bool {
	return func(c catalog.Column) bool { return c.Name == name }
}
