package messages

import (
	"fmt"

	"pgretain/internal/diag"
)

// NeedsRowKey is a part of a policy that needs rows with a key, and the reason.
type NeedsRowKey struct{ what, why string }

const (
	withoutKeyOrder = "Without a key, a run reads the rows in the order of a clock that an index contains."
	withoutKeySteps = "Without a key, a policy can delete, archive, insert and emit its own rows."
)

// The parts of a policy that need rows with a key.
var (
	KeyForNoClock = NeedsRowKey{"a policy without a clock", withoutKeyOrder}
	KeyForClock   = NeedsRowKey{"this clock", withoutKeyOrder + " Such a clock is a column, or " +
		"coalesce, greatest or least of columns of one type."}
	KeyForNulls      = NeedsRowKey{`"nulls: due"`, "A run reads rows without a timestamp in the order of the key."}
	KeyForRank       = NeedsRowKey{"a rank", "The key decides between rows of the same rank."}
	KeyForClaim      = NeedsRowKey{`"claim"`, "A claim finds its row by a key."}
	KeyForTouch      = NeedsRowKey{`"touch"`, "The function finds and orders its rows by a key."}
	KeyForOtherTable = NeedsRowKey{"a step on rows of another table", withoutKeySteps}
	KeyForStep       = NeedsRowKey{"this step", withoutKeySteps}
	KeyForNewest     = NeedsRowKey{"a value of the newest row",
		"The key decides which of several rows is the newest one."}
	KeyForLastDelete = NeedsRowKey{`"delete" after a step with triggers`,
		"A trigger may move the rows of the batch, and without a key the step cannot find them again."}
)

func NoKey(table string, of NeedsRowKey) diag.Diagnostic {
	return diag.Diagnostic{Code: noKey,
		Message: fmt.Sprintf("table %q has no key, so %s cannot be used", table, of.what), Detail: of.why,
		Hint: "Add a primary key, or a unique index over NOT NULL columns that is neither partial nor " +
			`deferrable. Then run "pgretain snapshot".`}
}

func RelatedWithoutKey(table string) diag.Diagnostic {
	return diag.Diagnostic{Code: noKey, Message: fmt.Sprintf("table %q has no key", table),
		Hint: `Add a primary key to the table, and run "pgretain snapshot". The step finds related rows by their key.`}
}

func TwoDeletes(policy string) diag.Diagnostic {
	return diag.Diagnostic{Code: step, Message: fmt.Sprintf("policy %q has two steps that delete its rows", policy),
		Hint: "Remove one of the two steps."}
}

var PartitionIsGone = diag.Diagnostic{Code: step, Message: `"partition" cannot be read after "detach" or "drop"`,
	Hint: `Move this step before "detach" or "drop".`}

// Writer says what writes a column: a step or a function. The code of a fault depends on it.
type Writer struct{ code diag.Code }

// The writers of columns: a step, or a function for applications.
var (
	ByStep     = Writer{step}
	ByFunction = Writer{application}
)

func (w Writer) GeneratedColumn(table, column string) diag.Diagnostic {
	return diag.Diagnostic{Code: w.code,
		Message: fmt.Sprintf("column %q of table %q is a generated column", column, table),
		Detail:  "PostgreSQL computes its value from other columns.",
		Hint:    fmt.Sprintf("Remove %q, or set the other columns.", column)}
}

func (w Writer) NoValue(table, column string) diag.Diagnostic {
	return diag.Diagnostic{Code: w.code,
		Message: fmt.Sprintf("column %q of table %q is NOT NULL, but has no default and no value", column, table),
		Hint:    `Add a value to "set", or a default to the column.`}
}

func SetsKeyColumn(table, column string) diag.Diagnostic {
	return diag.Diagnostic{Code: step,
		Message: fmt.Sprintf(`column %q is in the primary key of table %q, so "set" cannot change it`, column, table),
		Hint:    `Remove the column from "set". Batches, holds and the log identify a row by its key.`}
}

func SetsReferencedColumn(table, column string) diag.Diagnostic {
	return diag.Diagnostic{Code: step,
		Message: fmt.Sprintf(`foreign keys refer to column %q of table %q, so "set" cannot change it`, column, table),
		Hint:    `Remove the column from "set". A change would reach other tables.`}
}

func NullInKey(table, column string) diag.Diagnostic {
	return diag.Diagnostic{Code: step,
		Message: fmt.Sprintf("column %q of table %q may be NULL, so its unique index cannot find an existing row",
			column, table),
		Hint: "Make the column NOT NULL, or the index NULLS NOT DISTINCT. To write a value instead of NULL, use " +
			"coalesce()."}
}

// NoUniqueIndex takes the columns of "key" in messages, and the table and the columns in SQL.
func NoUniqueIndex(table string, columns []string, tableSQL, columnsSQL string) diag.Diagnostic {
	return diag.Diagnostic{Code: step,
		Message: fmt.Sprintf("table %q has no unique index on exactly (%s)", table, listed(columns)),
		Hint: fmt.Sprintf(`Run CREATE UNIQUE INDEX ON %s (%s); and then "pgretain snapshot". "key" finds an existing `+
			`row by the index.`, tableSQL, columnsSQL)}
}

// Faults of archives.

func ReplacesWithoutKey(archive string) diag.Diagnostic {
	return diag.Diagnostic{Code: step,
		Message: fmt.Sprintf(`archive %q has no primary key, so "existing: replace" cannot find a row`, archive),
		Hint:    `Add a primary key (not WITHOUT OVERLAPS), or choose another value for "existing".`}
}

func KeepsByDeferrable(archive string) diag.Diagnostic {
	return diag.Diagnostic{Code: step,
		Message: fmt.Sprintf(`archive %q has a deferrable unique constraint, which "existing: keep" cannot use`,
			archive),
		Hint: `Make the constraint NOT DEFERRABLE, or choose another value for "existing".`}
}

// ArchivedOver takes a column of the archive, and the second column that is copied into it.
func ArchivedOver(archive, column, second string) diag.Diagnostic {
	return diag.Diagnostic{Code: step,
		Message: fmt.Sprintf("columns %q and %q would both be copied into column %q of archive %q", column, second,
			column, archive),
		Hint: fmt.Sprintf(`Add to "columns" the column of the archive for %q.`, column)}
}

// ArchiveNotFilled takes whether the column is in the primary key of the archive. The hint is a
// statement if it is not.
func ArchiveNotFilled(c SQLColumn, inKey bool) diag.Diagnostic {
	d := ByStep.NoValue(c.Table, c.Name)
	if !inKey {
		d.Detail = `Instead of the hint, add a value to "set", or a default to the column.`
		d.Hint = fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s DROP NOT NULL;", c.TableSQL, c.NameSQL)
	}
	return d
}

// ArchiveHasNoColumn takes the column that the archive lacks, its type, and the table of the rows.
func ArchiveHasNoColumn(c SQLColumn, typ, table string) diag.Diagnostic {
	return diag.Diagnostic{Code: step,
		Message: fmt.Sprintf("archive %q has no column for column %q of table %q", c.Table, c.Name, table),
		Detail: `Instead of the hint, name another column under "columns", or store the whole row as a document, ` +
			`archive: {document: ...}.`,
		Hint: fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s %s;", c.TableSQL, c.NameSQL, typ)}
}

// ArchiveGenerates takes the column of the archive, and the table of the rows.
func ArchiveGenerates(c SQLColumn, table string) diag.Diagnostic {
	return diag.Diagnostic{Code: step,
		Message: fmt.Sprintf("column %q of archive %q is a generated column and cannot store the value of table %q",
			c.Name, c.Table, table),
		Hint: fmt.Sprintf(`Name another column of the archive under "columns". Or run ALTER TABLE %s ALTER COLUMN %s `+
			`DROP EXPRESSION; and then "pgretain snapshot".`, c.TableSQL, c.NameSQL)}
}

// NarrowArchive takes the types in the archive and in the table of the rows, and whether the
// columns have the same name.
func NarrowArchive(archive, column, typ, wanted string, sameName bool) diag.Diagnostic {
	hint := fmt.Sprintf("Change the type of the archive's column to %s", wanted)
	if sameName {
		hint += fmt.Sprintf(`. To round the value, write set: {%s: "%s::%s"}`, column, column, typ)
	}
	return diag.Diagnostic{Code: narrow,
		Message: fmt.Sprintf("column %q of archive %q has type %s, which cannot store all values of type %s", column,
			archive, typ, wanted),
		Hint: hint + "."}
}

// SmallerArchive takes the column of the archive and its type, and the column of the table of the
// rows and its type.
func SmallerArchive(c SQLColumn, typ string, of SQLColumn, wanted string) diag.Diagnostic {
	return diag.Diagnostic{Code: step,
		Message: fmt.Sprintf("column %q of archive %q is smaller than column %q of table %q", c.Name, c.Table, of.Name,
			of.Table),
		Detail: fmt.Sprintf("The archive has type %s, the table %s. The server refuses to archive a row whose value "+
			"does not fit, so the row stays.", typ, wanted),
		Hint: fmt.Sprintf("ALTER TABLE %s ALTER COLUMN %s TYPE %s;", c.TableSQL, c.NameSQL, wanted)}
}

func ArchiveNotInSnapshot(archive string) diag.Diagnostic {
	return diag.Diagnostic{Code: step,
		Message: fmt.Sprintf("archive %q, which an earlier migration created, is not in the catalog snapshot", archive),
		Hint:    `Run "pgretain snapshot". The generator then compares the columns of the archive.`}
}

func ArchiveOfUnknownType(column string) diag.Diagnostic {
	return diag.Diagnostic{Code: step, Message: fmt.Sprintf("type of column %q cannot be determined", column),
		Hint: "End the value with a cast, or create the archive in a migration of your own."}
}

// Faults of functions for applications.
var (
	TTLOfExpression = diag.Diagnostic{Code: application, Message: `"ttl" must be an interval, not an expression`,
		Hint: "Write ttl: 15 minutes, or {minutes: 15, at_least: 1}."}
	ClaimWithOtherSteps = diag.Diagnostic{Code: application,
		Message: `"claim" allows no step but "delete" without keys`,
		Hint: "Write then: [delete]. A claim overwrites an expired entry, so other steps would not run for " +
			"it."}
)

func ClaimOfClock(column string) diag.Diagnostic {
	return diag.Diagnostic{Code: application, Message: fmt.Sprintf("a claim cannot write into clock %q", column),
		Hint: "Use a column that is a date, a timestamp, or a number of seconds or milliseconds, and is not generated."}
}

func ArrayAsKey(column string) diag.Diagnostic {
	return diag.Diagnostic{Code: application, Message: fmt.Sprintf("key %q is an array", column),
		Detail: "The function also takes an array of keys, so an array cannot be one key.",
		Hint:   "Choose a column that is not an array."}
}

func KeyNotUnique(c SQLColumn) diag.Diagnostic {
	return diag.Diagnostic{Code: application,
		Message: fmt.Sprintf("table %q has no unique index on column %q alone", c.Table, c.Name),
		Hint: fmt.Sprintf(`Make the column the primary key, or run CREATE UNIQUE INDEX ON %s (%s); and then "pgretain `+
			`snapshot".`, c.TableSQL, c.NameSQL)}
}

func CursorHasTwice(column string) diag.Diagnostic {
	return diag.Diagnostic{Code: application, Message: fmt.Sprintf("column %q is in the cursor twice", column),
		Hint: "Remove one of the two."}
}
