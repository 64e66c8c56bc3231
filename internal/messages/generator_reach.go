package messages

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/diag"
	"pgretain/internal/lists"
)

// ForeignKey is a foreign key of a table. OnDelete is its action, for example "no action".
type ForeignKey struct{ Name, Table, OnDelete string }

func (k ForeignKey) action() string { return strings.ToUpper(k.OnDelete) }

// CascadesReach takes the tables in "cascades", the tables that are not named there, the foreign
// keys that reach them, and whether only a separate policy may delete from the table.
func CascadesReach(table string, named, unnamed []string, keys []ForeignKey, apart bool) diag.Diagnostic {
	details := lists.Map(keys, func(key ForeignKey) string {
		return fmt.Sprintf("Foreign key %q of %q is ON DELETE %s.", key.Name, key.Table, key.action())
	})
	hint := "If this is intended, write delete: {cascades: [%s]}."
	if apart {
		hint = "In a separate policy for this table, write delete: {cascades: [%s]}."
	}
	return diag.Diagnostic{Code: cascade,
		Message: fmt.Sprintf(`deletes from %q reach tables that are not in "cascades": %s`, table, listed(unnamed)),
		Detail:  strings.Join(details, " "),
		Hint:    fmt.Sprintf(hint, listed(slices.Concat(named, unnamed)))}
}

// DeletedAfterCopy takes the table whose rows are copied, and the related table of the delete.
func DeletedAfterCopy(copied, table string) diag.Diagnostic {
	return diag.Diagnostic{Code: step,
		Message: fmt.Sprintf("rows of %q that are inserted after the copy would be deleted with rows of %q, without a "+
			"copy", copied, table),
		Hint: fmt.Sprintf("Write a separate policy for table %q. A policy locks the rows that refer to its own rows "+
			"before it copies them.", table)}
}

// CopiedRowsStay takes whether the copy is an archive.
func CopiedRowsStay(table string, archived bool) diag.Diagnostic {
	stay := `remove the table from "cascades"`
	if archived {
		stay = `write "insert" instead of "archive"`
	}
	return diag.Diagnostic{Code: rowsStay,
		Message: fmt.Sprintf("rows of %q are copied, but neither a step nor a foreign key deletes them", table),
		Hint: fmt.Sprintf(`Add a step delete: {table: %s, as: ..., where: ...}. Or give %q a foreign key, ON DELETE `+
			`CASCADE, to the rows it belongs to, and run "pgretain snapshot". If the rows must stay, %s.`, table, table,
			stay)}
}

// ChangesProtectedRows takes the table that shares rows with the protected table.
func ChangesProtectedRows(policy, protects, table string) diag.Diagnostic {
	return diag.Diagnostic{Code: protected,
		Message: fmt.Sprintf("policy %q would change rows of the protected table %q", policy, protects),
		Hint: fmt.Sprintf(`Remove %q from "protect", or the step from the policy: %q shares rows with the protected `+
			`table.`, protects, table)}
}

func ReachesProtectedRows(from string, key ForeignKey) diag.Diagnostic {
	return diag.Diagnostic{Code: protected,
		Message: fmt.Sprintf("deletes from %q would change rows of the protected table %q", from, key.Table),
		Hint: fmt.Sprintf("Foreign key %q is ON DELETE %s. Make it ON DELETE RESTRICT, or remove the step.", key.Name,
			key.action())}
}

// DeletesPastGuard takes the policy's table, and the conditions under which a row c of the key's
// table refers to a row t.
func DeletesPastGuard(table, guard string, key ForeignKey, refers []string) diag.Diagnostic {
	return diag.Diagnostic{Code: pastGuard,
		Message: fmt.Sprintf("foreign key %q deletes rows of %q that guard %q keeps, with the rows to which they refer",
			key.Name, table, guard),
		Hint: fmt.Sprintf(`Keep rows to which others refer, with keep: {referred_to: "EXISTS (SELECT FROM %s c WHERE `+
			`%s)"}.`, key.Table, strings.Join(refers, " AND "))}
}

// CascadesPastGuard takes the policy that deletes, the table that its cascades reach, and the other
// policy whose guard keeps rows there.
func CascadesPastGuard(policy, table, other, guard string) diag.Diagnostic {
	return diag.Diagnostic{Code: pastGuard,
		Message: fmt.Sprintf("deletes of policy %q cascade to rows of %q that policy %q keeps", policy, table, other),
		Detail: fmt.Sprintf("A cascade deletes every row that refers to a deleted row, even if guard %q keeps it.",
			guard),
		Hint: fmt.Sprintf("Write a guard in policy %q that reads %q.", policy, table)}
}

// KeyKeepsRows takes a foreign key and the table to which it refers.
func KeyKeepsRows(policy string, key ForeignKey, table string) diag.Diagnostic {
	return diag.Diagnostic{Code: keyKeeps,
		Message: fmt.Sprintf("rows of %q keep rows that are due in policy %q", key.Table, policy),
		Detail: fmt.Sprintf("Foreign key %q to %q is ON DELETE %s, so the server refuses to delete a row that is "+
			"referred to. A run fails once it has skipped 1,000 rows more than it took.", key.Name, table,
			key.action()),
		Hint: fmt.Sprintf("Write a step that first deletes the rows of %q, or a guard that keeps the rows to which "+
			"they refer.", key.Table)}
}

func TriggerKeepsRows(policy, trigger, table string) diag.Diagnostic {
	return diag.Diagnostic{Code: triggerKeeps,
		Message: fmt.Sprintf("trigger %q of %q may keep rows that are due in policy %q", trigger, table, policy),
		Detail: "The trigger is called before each row is deleted. If it returns NULL, the row stays, without an " +
			"error.",
		Hint: fmt.Sprintf(`Read the function of the trigger, then write "triggers: [%s]" in the policy.`, trigger)}
}

// NoReferencingIndex takes the statements that create the indexes.
func NoReferencingIndex(policy string, statements []string) diag.Diagnostic {
	return diag.Diagnostic{Code: noReferencingIndex,
		Message: fmt.Sprintf("deletes of policy %q read whole tables to check foreign keys", policy),
		Detail: "No index begins with a column of the foreign key, so PostgreSQL reads the whole table for each " +
			`deleted row. Unless the table stays small, create the index, then run "pgretain snapshot".`,
		Hint: strings.Join(statements, "\n")}
}

func WritesForeignTable(table string) diag.Diagnostic {
	return diag.Diagnostic{Code: tableKind, Message: fmt.Sprintf("the policy writes into foreign table %q", table),
		Detail: "The other server commits separately. If one server fails between the two commits, rows are lost or " +
			"duplicated.",
		Hint: "Write into a table of this database, and move the rows to the other server from there."}
}
