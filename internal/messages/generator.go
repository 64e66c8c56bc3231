package messages

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/quote"
)

// The codes of package generator and of package shards.
var (
	tableUnknown       = diag.Declare("P050", "", "table is not in the catalog snapshot")
	columnUnknown      = diag.Declare("P051", "", "column is not in the catalog snapshot")
	noKey              = diag.Declare("P052", "", "table has no key")
	tableKind          = diag.Declare("P053", "", "kind of the table is not supported")
	clockType          = diag.Declare("P054", "", "type of the clock is not a date or a timestamp")
	cascade            = diag.Declare("P055", "", "foreign key reaches a table that is not in cascades")
	protected          = diag.Declare("P056", "", "delete or change reaches a protected table")
	generatedName      = diag.Declare("P058", "", "name is used by the generated SQL")
	eachIndex          = diag.Declare("P059", "", "table has no index for a policy")
	step               = diag.Declare("P060", "", "step could not be generated")
	oldSnapshot        = diag.Declare("P061", "", "snapshot was taken with another search path")
	noReferencingIndex = diag.Declare("P062", "", "no index on a foreign key that refers to deleted rows")
	keyKeeps           = diag.Declare("P063", "", "foreign key keeps rows that are due")
	triggerKeeps       = diag.Declare("P064", "", "trigger may keep rows that are due")
	pastGuard          = diag.Declare("P065", "", "cascade deletes rows that a guard keeps")
	narrow             = diag.Declare("P066", "", "column cannot store all values")
	otherShards        = diag.Declare("P067", "", "policy needs rows of other shards")
	typeUnknown        = diag.Declare("P068", "", "type of an expression is not in the catalog snapshot")
	rowsStay           = diag.Declare("P069", "", "copied rows are not deleted")
	application        = diag.Declare("P070", "", "function for applications could not be generated")

	// CodeExpressionRefused is also the code of an error of the server that plans an expression.
	CodeExpressionRefused = diag.Declare("P057", "", "expression cannot be used here")
)

// SQLColumn is a column of a table, with the names in messages and the names in SQL.
type SQLColumn struct {
	Table, Name       string
	TableSQL, NameSQL string // quoted where SQL needs quotes; TableSQL has the schema
}

// OtherSearchPath takes the search paths of the snapshot and of the policy file.
func OtherSearchPath(taken, wanted []string) diag.Diagnostic {
	return diag.Diagnostic{Code: oldSnapshot,
		Message: fmt.Sprintf("the catalog snapshot was taken with search_path %q, but the policy file has %q", taken,
			wanted),
		Hint: `Run "pgretain snapshot" again.`}
}

// nearName returns a hint with the nearest of the known names in SQL, or "" if none is near. The
// function sql quotes a name.
func nearName(name string, known []string, sql func(string) string) string {
	i := slices.IndexFunc(known, func(other string) bool { return strings.EqualFold(other, name) })
	if i < 0 {
		return DidYouMean(name, known)
	}
	return fmt.Sprintf("Write %[1]s. PostgreSQL reads names without double quotes in lower case. If it is a whole "+
		"value in YAML, write '%[1]s'.", sql(known[i]))
}

func quotedTable(name string) string {
	schema, table, _ := strings.Cut(name, ".")
	return quote.Ident(schema) + "." + quote.Ident(table)
}

// UnknownTable takes the tables of the snapshot, and the policy that creates the table as an
// archive, or "" if no policy does.
func UnknownTable(table string, known []string, creator string) diag.Diagnostic {
	d := diag.Diagnostic{Code: tableUnknown, Message: fmt.Sprintf("table %q is not in the catalog snapshot", table),
		Hint: nearName(table, known, quotedTable)}
	switch {
	case creator != "":
		d.Hint = fmt.Sprintf(`Policy %q creates the table. Without the policy that needs the table, run `+
			`"pgretain generate" and migrate. Then run "pgretain snapshot", and add the other policy.`, creator)
	case d.Hint == "":
		d.Hint = `Create the table, and run "pgretain snapshot".`
	}
	return d
}

// UnknownColumn takes the columns of the table, and whether its rows are partitions.
func UnknownColumn(table, column string, known []string, partitions bool) diag.Diagnostic {
	d := diag.Diagnostic{Code: columnUnknown, Message: noColumn(table, column),
		Hint: nearName(column, known, quote.Ident)}
	if d.Hint == "" && partitions {
		d.Hint = "Write one of schema, name, parent, lower and upper. To read the rows of a partition, write a " +
			"sub-select: FROM partition."
	}
	return d
}

func noColumn(table, column string) string {
	return fmt.Sprintf("table %q has no column %q", table, column)
}

// ColumnToAdd takes the type of a column that the application must add, and its default or "".
func ColumnToAdd(c SQLColumn, typ, value string) diag.Diagnostic {
	if value != "" {
		value = " DEFAULT " + value
	}
	return diag.Diagnostic{Code: columnUnknown, Message: noColumn(c.Table, c.Name),
		Hint: fmt.Sprintf(`Execute ALTER TABLE %s ADD COLUMN %s %s%s in a migration of the application, and then run `+
			`"pgretain snapshot".`, c.TableSQL, c.NameSQL, typ, value)}
}

func ColumnOfOtherType(table, column, typ, wanted string) diag.Diagnostic {
	return diag.Diagnostic{Code: columnUnknown,
		Message: fmt.Sprintf("column %q of table %q has type %s, not %s", column, table, typ, wanted),
		Hint:    "Write the type of the column into the policy file."}
}

// AddedWithOtherType takes the type in the policy file.
func AddedWithOtherType(c SQLColumn, typ string) diag.Diagnostic {
	return diag.Diagnostic{Code: step,
		Message: fmt.Sprintf("an earlier migration added column %q of table %q with another type", c.Name, c.Table),
		Hint: fmt.Sprintf(`Run ALTER TABLE %s ALTER COLUMN %s TYPE %s in a migration of your own, and then `+
			`"pgretain snapshot".`, c.TableSQL, c.NameSQL, typ)}
}

func ControlCharacter(name, table string) diag.Diagnostic {
	return diag.Diagnostic{Code: tableKind,
		Message: fmt.Sprintf("name %q in table %q contains a control character", name, table), Hint: "Rename it."}
}

// StoresNoRows takes the kind of the relation, for example "view".
func StoresNoRows(relation, kind string) diag.Diagnostic {
	d := diag.Diagnostic{Code: tableKind, Message: fmt.Sprintf("%q is a %s, not a table", relation, kind),
		Hint: "Name the table that holds the rows."}
	if kind == "foreign" {
		d.Message = onOtherServer(relation)
	}
	return d
}

func onOtherServer(table string) string {
	return fmt.Sprintf("%q is a foreign table, with rows on another server", table)
}

func RowsOfPartition(table, parent string) diag.Diagnostic {
	return diag.Diagnostic{Code: tableKind, Message: isPartition(table, parent), Hint: "Name the partitioned table."}
}

func isPartition(table, parent string) string {
	return fmt.Sprintf("%q is a partition of %q", table, parent)
}

func ForeignPartition(partition, table string) diag.Diagnostic {
	return diag.Diagnostic{Code: tableKind,
		Message: fmt.Sprintf("partition %q of %q is a foreign table", partition, table),
		Hint: "Write a policy on the server that stores the rows. A run cannot find rows of a foreign table by their " +
			"ctid."}
}

// InheritanceChildren takes the children in messages and in SQL.
func InheritanceChildren(table, tableSQL string, children, childrenSQL []string) diag.Diagnostic {
	statements := lists.Map(childrenSQL, func(child string) string {
		return fmt.Sprintf("ALTER TABLE %s NO INHERIT %s;", child, tableSQL)
	})
	return diag.Diagnostic{Code: tableKind,
		Message: fmt.Sprintf("%q has inheritance children (%s)", table, listed(children)),
		Detail:  "A key is not unique across a table and its children.",
		Hint: fmt.Sprintf(`Run %s and then "pgretain snapshot". Or write a policy or step for each of the children.`,
			strings.Join(statements, " "))}
}

// Faults of the table of a policy on partitions.

func PartitionsOnOtherServer(table string) diag.Diagnostic {
	return diag.Diagnostic{Code: tableKind, Message: onOtherServer(table), Hint: "Write a policy on that server."}
}

func NotPartitioned(relation, kind string) diag.Diagnostic {
	return diag.Diagnostic{Code: tableKind, Message: fmt.Sprintf("%q is a %s, not a partitioned table", relation, kind),
		Hint: `For a policy on rows, write "table" instead of "partitions_of".`}
}

func PartitionsOfPartition(table, parent string) diag.Diagnostic {
	return diag.Diagnostic{Code: tableKind, Message: isPartition(table, parent),
		Hint: "Name the partitioned table to which it belongs."}
}

func NoPartitionKey(table string) diag.Diagnostic {
	return diag.Diagnostic{Code: oldSnapshot,
		Message: fmt.Sprintf("%q has no partition key in the catalog snapshot", table),
		Hint:    `Run "pgretain snapshot" again.`}
}

func PartitionedOtherwise(table string) diag.Diagnostic {
	return diag.Diagnostic{Code: tableKind,
		Message: fmt.Sprintf("%q is not partitioned by the range or the list of a column", table),
		Hint: "Use a table with PARTITION BY RANGE or BY LIST on a column. If partitions of a list are partitioned " +
			"again, all must have the same partition key."}
}

func PartitionKeyType(table, key, typ string) diag.Diagnostic {
	return diag.Diagnostic{Code: clockType,
		Message: fmt.Sprintf("%q is partitioned by %q of type %q, which is neither a date nor a number", table, key,
			typ),
		Hint: "Use a key of type date, timestamp, number or uuid. The order of the keys tells which partition is the " +
			"newest, and that one is kept."}
}

// Names that the generated SQL uses.

func NamedLikeVariable(table, column string) diag.Diagnostic {
	return diag.Diagnostic{Code: generatedName,
		Message: fmt.Sprintf("column %q of table %q has the name of a variable of the generated function", column,
			table)}
}

// StoredNameUsed takes the policy that has a table of this name, or "" for the runtime.
func StoredNameUsed(table, policy string) diag.Diagnostic {
	by := "by the runtime"
	if policy != "" {
		by = fmt.Sprintf("by policy %q", policy)
	}
	return diag.Diagnostic{Code: generatedName,
		Message: fmt.Sprintf("table %q, which would store the rows of this join, is already used %s", table, by),
		Hint:    "Rename the join or the policy."}
}

// ContainsEachName takes a name in the SQL of the policy, and the name under "each".
func ContainsEachName(policy, name, each string) diag.Diagnostic {
	return diag.Diagnostic{Code: generatedName,
		Message: fmt.Sprintf("name %q in the SQL of policy %q contains the name that stands for a schema", name,
			policy),
		Hint: fmt.Sprintf(`Rename %q under "each", so that no other name contains it.`, each)}
}

// NoIndexForRows takes the columns of the index in SQL, and whether the policy is for each schema.
func NoIndexForRows(table, policy, tableSQL, columns string, eachSchema bool) diag.Diagnostic {
	where := `in a migration of the application, and then run "pgretain snapshot".`
	if eachSchema {
		where = "in the script that creates the tables of a schema."
	}
	return diag.Diagnostic{Code: eachIndex,
		Message: fmt.Sprintf("table %q has no index for the rows of policy %q", table, policy),
		Hint:    fmt.Sprintf("Execute CREATE INDEX ON %s (%s) %s", tableSQL, columns, where)}
}

// Faults of clocks.

// SortsByCollation takes the collation and the type of a column of ULIDs.
func SortsByCollation(c SQLColumn, collation, typ string) diag.Diagnostic {
	return diag.Diagnostic{Code: clockType,
		Message: fmt.Sprintf("a ULID does not sort by time with collation %s", collation),
		Hint: fmt.Sprintf(`Run ALTER TABLE %s ALTER COLUMN %s TYPE %s COLLATE "C", and then "pgretain snapshot".`,
			c.TableSQL, c.NameSQL, typ)}
}

func UUIDAsText(typ string) diag.Diagnostic {
	return diag.Diagnostic{Code: clockType, Message: fmt.Sprintf("a UUID of type %q does not sort by time", typ),
		Hint: `Change the type of the column to uuid, or write expression: "(column)::uuid".`}
}

func NotTime(typ string) diag.Diagnostic {
	return diag.Diagnostic{Code: clockType, Message: fmt.Sprintf("type %q is not a date or a timestamp", typ),
		Hint: "Write how the column stores a time, with encoding: epoch_s, epoch_ms, uuidv7, ulid or {snowflake: " +
			"{shift, epoch}}."}
}

func EncodingOfOtherType(encoding, typ string) diag.Diagnostic {
	return diag.Diagnostic{Code: clockType,
		Message: fmt.Sprintf("encoding %q cannot be used with type %q", encoding, typ),
		Hint: "Use epoch_s or epoch_ms with numbers, snowflake with bigint, uuidv7 with uuid, ulid with uuid or " +
			"text, and none with dates and timestamps."}
}

// NarrowWatermark takes the types of the column and of the positions.
func NarrowWatermark(table, column, typ, wanted string) diag.Diagnostic {
	return diag.Diagnostic{Code: narrow,
		Message: fmt.Sprintf("column %q of %q has type %s, which cannot store all positions of type %s", column, table,
			typ, wanted),
		Hint: fmt.Sprintf("Change the type of the column to %s. Otherwise runs skip rows between a position and its "+
			"rounded value.", wanted)}
}

func WindowIsNoInterval(typ string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeExpressionRefused,
		Message: fmt.Sprintf("the window has type %q, not an interval", typ),
		Hint: "Write the unit of a number, as in {days: ...}. The difference of two timestamps is an interval, that " +
			"of two dates is a number of days."}
}

func WindowIsNoNumber(typ string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeExpressionRefused,
		Message: fmt.Sprintf("the window has type %q, not a number", typ),
		Hint:    "Write {interval: ...} for an interval, or an expression that returns a number."}
}

// Faults of expressions.
var (
	BatchOutsideStep = diag.Diagnostic{Code: CodeExpressionRefused, Message: `"batch" cannot be read here`,
		Hint: "Read it in a step: only steps have the rows of the batch."}
	TwoRanks = diag.Diagnostic{Code: CodeExpressionRefused, Message: `two entries of "any" have a rank`,
		Hint: "Write two policies, in the order in which they must run. In one policy, the second rank would rank " +
			"only rows that the first leaves."}
)

// UnknownType takes the type that the hint proposes.
func UnknownType(usual string) diag.Diagnostic {
	return diag.Diagnostic{Code: typeUnknown, Message: "the type of this expression is not in the catalog snapshot",
		Hint: fmt.Sprintf(`Run "pgretain snapshot", or end the expression with a cast, for example "(...)::%s".`,
			usual)}
}

func AmbiguousColumn(column string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeExpressionRefused,
		Message: fmt.Sprintf("column %q is ambiguous: the row and the sub-select may both have it", column),
		Hint: fmt.Sprintf("For the row's column write t.%s, for another one its alias and a dot. Rename it if it is "+
			"an output column.", column)}
}

// OperatorsOutsidePath takes the schema of the operators, and the search path of the install.
func OperatorsOutsidePath(column, typ, schema string, path []string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeExpressionRefused,
		Message: fmt.Sprintf("operators of type %s of column %q are in schema %q, which is not in search_path", typ,
			column, schema),
		Hint: fmt.Sprintf(`Write install: {search_path: [%s]}, and run "pgretain snapshot".`,
			listed(append(slices.Clone(path), schema)))}
}

func WholeRowOfJoin(join string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeExpressionRefused,
		Message: fmt.Sprintf("a step cannot read the whole row of join %q", join),
		Hint:    "Name the columns of the join one by one."}
}
