package messages

import (
	"fmt"

	"pgretain/internal/diag"
)

// The codes of a rehearsal of lint. FirstOfRehearsal is the first of them.
var (
	FirstOfRehearsal = diag.Declare("L050", "", "statement of a generated routine would fail")
	leftover         = diag.Declare("L051", "", "migrate down leaves objects behind")
	runFails         = diag.Declare("L052", "", "policy does not run")
	otherSchema      = diag.Declare("L053", "", "catalog snapshot differs from the schema file")
)

// RoutineFault is an error that plpgsql_check found in a routine. SQLState, Detail and Hint may be
// "".
type RoutineFault struct {
	Name, Routine                   string // without schema and arguments, and as SQL
	Line                            int    // of the body; 0 if unknown
	Message, SQLState, Detail, Hint string
}

func RoutineFails(f RoutineFault) diag.Diagnostic {
	state := ""
	if f.SQLState != "" {
		state = fmt.Sprintf(" [%s]", f.SQLState)
	}
	return diag.Diagnostic{Code: FirstOfRehearsal, Detail: f.Detail, Hint: f.Hint,
		Message: fmt.Sprintf("line %d of %s would fail: %s%s", f.Line, f.Routine, f.Message, state)}
}

func ObjectLeft(object string) diag.Diagnostic { return left(object + " still exists") }

func TableLeftChanged(table string) diag.Diagnostic {
	return left(fmt.Sprintf("table %q differs from before the first migration,", table))
}

func left(what string) diag.Diagnostic {
	return diag.Diagnostic{Code: leftover, Message: what + " after all migrations were undone",
		Hint: "Check whether a file of your own in the migration directory created it. Otherwise report it as a bug " +
			"of pgretain."}
}

// RunFails takes the state in which the run ended, and the message in the run log.
func RunFails(policy, state, message string) diag.Diagnostic {
	return diag.Diagnostic{Code: runFails, Message: fmt.Sprintf("%q ended %s: %s", policy, state, message)}
}

var OtherSchema = diag.Diagnostic{Code: otherSchema,
	Message: "the tables of the schema file differ from this snapshot, and the policy compiles to other SQL",
	Hint:    `Run "pgretain snapshot", then "pgretain generate".`}
