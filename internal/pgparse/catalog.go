package pgparse

import (
	"strings"

	query "github.com/pganalyze/pg_query_go/v6"
)

// The functions in this file read texts that PostgreSQL prints from its catalog.

// NextValueOf returns the parts of the sequence's name for the default nextval('name'::regclass) of
// a column. It returns nil for any other default.
func NextValueOf(value string) []string {
	if !strings.HasPrefix(value, "nextval(") { // most defaults need not be parsed
		return nil
	}
	node, _, err := expressionNode(value)
	if err != nil || len(node.GetFuncCall().GetArgs()) != 1 {
		return nil
	}
	cast := node.GetFuncCall().Args[0].GetTypeCast()
	if lastName(cast.GetTypeName().GetNames()) != "regclass" {
		return nil
	}
	name, _ := Name(cast.Arg.GetAConst().GetSval().GetSval()) // an error: the default names no sequence
	return name
}

// FiresBefore reports whether a CREATE TRIGGER defines a BEFORE trigger.
func FiresBefore(definition string) bool {
	before, err := fromStatements(definition, "CREATE TRIGGER", func(n *query.Node) bool {
		return n.GetCreateTrigStmt().GetTiming()&timingBefore != 0
	})
	return err == nil && before
}

// timingBefore is TRIGGER_TYPE_BEFORE of PostgreSQL.
const timingBefore = 1 << 1
