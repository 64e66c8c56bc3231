package messages

import "pgretain/internal/diag"

// The codes of package generator and of package shards.
var (
	CodeTableUnknown       = diag.Declare("P050", "", "table is not in the catalog snapshot")
	CodeColumnUnknown      = diag.Declare("P051", "", "column is not in the catalog snapshot")
	CodeNoKey              = diag.Declare("P052", "", "table has no key")
	CodeTableKind          = diag.Declare("P053", "", "kind of the table is not supported")
	CodeClockType          = diag.Declare("P054", "", "type of the clock is not a date or a timestamp")
	CodeCascade            = diag.Declare("P055", "", "foreign key reaches a table that is not in cascades")
	CodeProtected          = diag.Declare("P056", "", "delete or change reaches a protected table")
	CodeExpressionRefused  = diag.Declare("P057", "", "expression cannot be used here") // or a server cannot plan it
	CodeReservedName       = diag.Declare("P058", "", "name is used by the generated SQL")
	CodeEachIndex          = diag.Declare("P059", "", "table has no index for a policy")
	CodeStep               = diag.Declare("P060", "", "step could not be generated")
	CodeOldSnapshot        = diag.Declare("P061", "", "snapshot was taken with another search path")
	CodeNoReferencingIndex = diag.Declare("P062", "", "no index on a foreign key that refers to deleted rows")
	CodeKeyKeeps           = diag.Declare("P063", "", "foreign key keeps rows that are due")
	CodeTriggerKeeps       = diag.Declare("P064", "", "trigger may keep rows that are due")
	CodePastGuard          = diag.Declare("P065", "", "cascade deletes rows that a guard keeps")
	CodeNarrow             = diag.Declare("P066", "", "column cannot store all values")
	CodeOtherShards        = diag.Declare("P067", "", "policy needs rows of other shards")
	CodeTypeUnknown        = diag.Declare("P068", "", "type of an expression is not in the catalog snapshot")
	CodeRowsStay           = diag.Declare("P069", "", "copied rows are not deleted")
	CodeApplication        = diag.Declare("P070", "", "function for applications could not be generated")
)
