package generator

import "pgretain/internal/diag"

// The codes of what only a catalog snapshot can tell.
var (
	codeNoTable    = diag.Register("P050", "table is not in the catalog snapshot")
	codeNoColumn   = diag.Register("P051", "column is not in the catalog snapshot")
	codeNoKey      = diag.Register("P052", "table has no primary key")
	codeTableKind  = diag.Register("P053", "table is of a kind that cannot be purged")
	codeClockType  = diag.Register("P054", "clock has a type that holds no instant")
	codeCascade    = diag.Register("P055", "foreign key reaches a table that is not in cascades")
	codeProtected  = diag.Register("P056", "protected table would be reached")
	codeExpression = diag.Register("P057", "expression cannot be used here")
	// CodeExpression is that of what a server refuses to plan, too.
	CodeExpression   = codeExpression
	codeReservedName = diag.Register("P058", "name is taken by what is generated")
	codeStep         = diag.Register("P060", "step cannot be generated")
	codeNarrow       = diag.Register("P066", "archive does not hold all values")
	codeSnapshotOld  = diag.Register("P061", "snapshot is of another search path")
)
