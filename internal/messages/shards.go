package messages

import (
	"fmt"

	"pgretain/internal/diag"
)

// Faults of policies for each shard that need no facts.
var (
	StatementOnShards = diag.Diagnostic{Code: otherShards, Message: "an sql step could reach rows of other nodes",
		Hint: "Write the statement as other steps."}
	PositionOfShard = diag.Diagnostic{Code: otherShards,
		Message: `"position" cannot be used in a policy for each shard`,
		Hint:    `Use "age". Each shard would need a position of its own.`}
)

func NotDistributed(table string) diag.Diagnostic {
	return diag.Diagnostic{Code: otherShards,
		Message: fmt.Sprintf("table %q is not distributed by the hash of a column", table),
		Hint:    `Run create_distributed_table() for the table, and then "pgretain snapshot".`}
}

func ChangesReferenceTable(table string) diag.Diagnostic {
	return diag.Diagnostic{Code: otherShards, Message: fmt.Sprintf("the policy changes reference table %q", table),
		Hint: "Remove the step. A policy for each shard can only read reference tables."}
}

// OutsideShardSchema takes the name under "each".
func OutsideShardSchema(table, each string) diag.Diagnostic {
	return diag.Diagnostic{Code: otherShards, Message: fmt.Sprintf("table %q is not in schema %q", table, each),
		Hint: fmt.Sprintf("Write %q as the schema of the table.", each)}
}

// NotColocated takes the policy's own table second.
func NotColocated(table, own string) diag.Diagnostic {
	return diag.Diagnostic{Code: otherShards,
		Message: fmt.Sprintf("table %q is neither colocated with %q nor a reference table", table, own),
		Hint:    "Colocate the two tables. A policy for each shard only reads rows on the node of the shard."}
}

// RowsOnOtherNodes takes a distributed table, its alias and its distribution column, and the
// distribution column of the policy's table.
func RowsOnOtherNodes(table, alias, column, own string) diag.Diagnostic {
	return diag.Diagnostic{Code: otherShards,
		Message: fmt.Sprintf("rows of %q may be on other nodes than the policy's row", table),
		Hint: fmt.Sprintf("Add the condition %s.%s = t.%s to the query, outside of OR and of outer joins.", alias,
			column, own)}
}

// GroupOnSeveralNodes takes the distribution column of the policy's table.
func GroupOnSeveralNodes(own string) diag.Diagnostic {
	return diag.Diagnostic{Code: otherShards, Message: "rows of a group are on several nodes",
		Hint: fmt.Sprintf("Write per: t.%s.", own)}
}

func SetsDistributionColumn(column string) diag.Diagnostic {
	return diag.Diagnostic{Code: otherShards,
		Message: fmt.Sprintf(`column %q distributes the rows, so "set" cannot change it`, column),
		Hint:    `Remove the column from "set". A row cannot move to another shard.`}
}

// ArchivesToOtherNode takes the archive and its distribution column, and the distribution column of
// the rows.
func ArchivesToOtherNode(archive, column, from string) diag.Diagnostic {
	return diag.Diagnostic{Code: otherShards,
		Message: fmt.Sprintf("column %q, which distributes table %q, is not filled with %q of the row", column, archive,
			from),
		Hint: fmt.Sprintf(`Copy column %q of the row into %q, by name or under "columns".`, from, column)}
}

// InsertsIntoOtherNode takes the target and its distribution column, and the distribution column of
// the policy's table.
func InsertsIntoOtherNode(table, column, own string) diag.Diagnostic {
	return diag.Diagnostic{Code: otherShards,
		Message: fmt.Sprintf("column %q, which distributes table %q, is not set to t.%s", column, table, own),
		Hint:    fmt.Sprintf(`Write %s: t.%s under "set".`, column, own)}
}
