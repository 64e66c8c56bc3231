package messages

import (
	"fmt"
	"strings"

	"pgretain/internal/diag"
)

// The codes of SQL in a policy file.
var (
	invalidSQL     = diag.Declare("P011", "", "invalid SQL expression")
	unstable       = diag.Declare("P012", "", "expression depends on the clock or the session")
	hasParameter   = diag.Declare("P013", "", "expression contains a parameter")
	rankGuard      = diag.Declare("P028", "", "rank reads a guard that is not above it")
	readsKeep      = diag.Declare("P029", "", `"keep" is read outside a rank`)
	unknownName    = diag.Declare("P033", "", "unknown name before a dot")
	onceNamesRow   = diag.Declare("P034", "", "query that is read once per run names the row")
	invalidColumn  = diag.Declare("P035", "", "invalid column type or default")
	noLiteral      = diag.Declare("P038", "", "value is not a literal")
	invalidSQLStep = diag.Declare("P039", "", "invalid statement of an sql step")
	noRow          = diag.Declare("P040", "", "column is named where there is no row")
	readsRun       = diag.Declare("P042", "", `"run" is read outside a step`)
)

// Faults of SQL texts.
var (
	BreakInSQL = diag.Diagnostic{Code: invalidSQL, Message: "a quoted SQL text contains a line break",
		Hint: `Write the line break as \n, as in E'first\nsecond'.`}
	Parameter = diag.Diagnostic{Code: hasParameter, Message: "a parameter is not allowed in an expression",
		Hint: "Write the value, or as_of, run.id or run.reason."}
	InvalidDefault = diag.Diagnostic{Code: invalidColumn,
		Message: "a default cannot contain columns, queries or parameters",
		Hint:    "Write a constant or a function, for example now()."}
	StatementWithoutBatch = diag.Diagnostic{Code: invalidSQLStep, Message: `the statement does not read "batch"`,
		Detail: "The statement would do the same in every batch, whatever rows the batch has.",
		Hint:   `Read the relation "batch". It contains the rows of the batch, with the columns of the table.`}
	StatementChangesBatch = diag.Diagnostic{Code: invalidSQLStep, Message: `"batch" cannot be changed`,
		Detail: `"batch" is a copy of the rows as they were when the run rechecked them.`,
		Hint:   "Change the policy's table."}
)

// InvalidSQL takes the kind of the SQL and the message of PostgreSQL's parser.
func InvalidSQL(kind, message string) diag.Diagnostic {
	d := diag.Diagnostic{Code: invalidSQL, Message: fmt.Sprintf("invalid SQL %s: %s", kind, message)}
	semicolon := strings.Contains(message, "semicolon")
	switch {
	case strings.Contains(message, "comment"):
		d.Hint = "Write the comment as a YAML comment."
	case strings.Contains(message, "trailing junk"):
		d.Hint = "If this is a text, write it in SQL's quotes."
	case kind == "statement" && semicolon:
		d.Hint = "Write each statement as a step of its own."
	case kind == "query":
		d.Hint = "Write one SELECT."
	case semicolon:
		d.Hint = "Remove the semicolon and everything behind it."
	}
	return d
}

func UpToColumns(n int) diag.Diagnostic {
	return diag.Diagnostic{Code: invalidSQL, Message: fmt.Sprintf(`the query of "up_to" returns %d columns`, n),
		Detail: `"up_to" is one value.`, Hint: "Select one column."}
}

func ReadsClock(text string) diag.Diagnostic {
	hint := "Write as_of"
	if strings.Contains(text, "'") {
		hint += fmt.Sprintf(", or %s::text if it is a text", text)
	}
	return diag.Diagnostic{Code: unstable, Message: fmt.Sprintf("clock %q is not allowed in an expression", text),
		Detail: "All conditions of a run use one timestamp, as_of.", Hint: hint + "."}
}

// ReadsSession takes the word that depends on the session, and whether it is called as a function.
func ReadsSession(word string, called bool) diag.Diagnostic {
	hint := fmt.Sprintf("If it is a column, write t.%q.", word)
	switch {
	case strings.Contains(word, "@"):
		hint = "Write to_tsvector('english', body) on the left side, or cast the column: search::tsvector."
	case called:
		hint = "Write the configuration as the first argument, as in to_tsvector('english', body)."
	}
	return diag.Diagnostic{Code: unstable, Message: fmt.Sprintf("%q depends on the session", word),
		Detail: "A run and a preview would give different results for the same row.", Hint: hint}
}

func GuardNotAbove(name string, known []string) diag.Diagnostic {
	return diag.Diagnostic{Code: rankGuard, Message: fmt.Sprintf("guard %q is not above this rank", name),
		Detail: fmt.Sprintf("A rank can read the guards above it: %s.", listed(known)), Hint: DidYouMean(name, known)}
}

func KeepOutsideRank(name string) diag.Diagnostic {
	return diag.Diagnostic{Code: readsKeep, Message: fmt.Sprintf("keep.%s is not allowed here", name),
		Detail: `Only "per", "order" and "among" of a rank can read the results of guards.`,
		Hint:   "Write the condition of the guard here."}
}

// UnknownName takes the names that are known here, and those of them that may be meant.
func UnknownName(name string, here, known []string) diag.Diagnostic {
	d := diag.Diagnostic{Code: unknownName, Message: fmt.Sprintf("unknown name %q before a dot", name),
		Hint: DidYouMean(name, known)}
	if len(here) > 0 {
		d.Detail = fmt.Sprintf("Names that are known here: %s.", listed(here))
	}
	return d
}

// OnceNamesRow takes the query in words, and whether it is the query of a join.
func OnceNamesRow(what, name string, join bool) diag.Diagnostic {
	hint := "Name the query's own tables only."
	if join {
		hint = `Compare with the row in "where", or write the query as text, without "where".`
	}
	return diag.Diagnostic{Code: onceNamesRow, Message: fmt.Sprintf("%s cannot name %q", what, name),
		Detail: "The query is read at the start of the run, before the run reads any row.", Hint: hint}
}

func InvalidColumnType(text string, err error) diag.Diagnostic {
	return diag.Diagnostic{Code: invalidColumn, Message: fmt.Sprintf("invalid column type %q", text),
		Detail: fmt.Sprintf("PostgreSQL's parser reports: %s.", err),
		Hint:   `Write the type only, for example timestamptz. Write the default under "default".`}
}

// NotLiteral takes the text in SQL's quotes, or "" if quotes would not help.
func NotLiteral(text, quoted string) diag.Diagnostic {
	hint := "Write the value itself."
	if quoted != "" {
		hint = fmt.Sprintf(`Write a text with SQL's quotes: "%s".`, quoted)
	}
	return diag.Diagnostic{Code: noLiteral, Message: fmt.Sprintf("%q is not a literal", text),
		Detail: "A literal is a number, true, false, or a text in SQL's quotes.", Hint: hint}
}

func LiteralNull(what string) diag.Diagnostic {
	return diag.Diagnostic{Code: noLiteral, Message: what + " cannot be null",
		Detail: "A comparison with NULL is never true.", Hint: "Write a value."}
}

func StatementWithoutSchema(table string) diag.Diagnostic {
	return diag.Diagnostic{Code: invalidSQLStep, Message: fmt.Sprintf("table %q is named without a schema", table),
		Detail: "A table that a statement changes needs its schema.",
		Hint:   fmt.Sprintf("Write the schema before the name, for example public.%s.", table)}
}

// ColumnWithoutRow takes the name of the other table, or "" if there is none.
func ColumnWithoutRow(column, other string) diag.Diagnostic {
	hint := "Write a constant or as_of. Put SQL's quotes around a text."
	if other != "" {
		hint = fmt.Sprintf("Write %s.%s for the column of the other table.", other, column)
	}
	return diag.Diagnostic{Code: noRow, Message: fmt.Sprintf("column %q cannot be read here", column),
		Detail: "The row does not exist yet when this expression is evaluated.", Hint: hint}
}

func RunOutsideStep(field string) diag.Diagnostic {
	return diag.Diagnostic{Code: readsRun, Message: fmt.Sprintf("run.%s is not allowed here", field),
		Detail: `A condition must give the same result in a run and in a preview, so only steps can read "run".`,
		Hint:   fmt.Sprintf(`Read run.%s in "then".`, field)}
}
