package messages

import (
	"cmp"
	"fmt"
	"strings"

	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/quote"
)

// Column names a column that a migration added to the table of a policy.
type Column struct{ Policy, Table, Name string }

func (c Column) String() string {
	return fmt.Sprintf("column %q of table %q of policy %q", c.Name, c.Table, c.Policy)
}

func ColumnMissing(c Column) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeColumn, Message: c.String() + " is missing", Hint: Repair}
}

// OtherDefault takes the wanted and the present default of a column, and the statement that sets
// the default.
func OtherDefault(c Column, want, got, hint string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeColumn, Message: c.String() + " has another default", Want: want, Got: got,
		Detail: "Rows that the application writes get another value, or none.", Hint: hint}
}

// MissingTable is a table of the policy file that does not exist.
type MissingTable struct {
	N        int    // its position in the query's parameter
	Schema   string // its schema, if that does not exist either; or ""
	Other    string // a schema that has tables of the same names; or ""
	OtherSQL string
}

// NoTable takes the policy that names the table, or "", and whether a migration created the table.
func NoTable(name, policy string, created bool, t MissingTable) diag.Diagnostic {
	of := ""
	if policy != "" {
		of = fmt.Sprintf(` of policy "%s"`, policy)
	}
	d := diag.Diagnostic{Code: CodeNoTable, Message: fmt.Sprintf(`table "%s"%s does not exist`, name, of),
		Hint: "Rename it in the policy file, or take its policy out; " +
			`then run "pgretain snapshot" and "pgretain generate".`}
	if t.Schema != "" {
		d.Detail = fmt.Sprintf(`Schema "%s" does not exist.`, t.Schema)
	}
	if t.Other != "" {
		d.Detail = fmt.Sprintf(`Schema "%s" does not exist; schema "%s" has tables of the same names.`, t.Schema,
			t.Other)
		d.Hint = fmt.Sprintf(`Write "%s" instead of "%s" in the policy file, then run "pgretain snapshot" and `+
			`"pgretain generate", and migrate. Or undo it: ALTER SCHEMA %s RENAME TO %s.`, t.Other, t.Schema,
			t.OtherSQL, quote.Ident(t.Schema))
	}
	if created {
		d.Hint = "A migration created it: look for its rows in a backup, " +
			"and run the statements of that migration again."
	}
	return d
}

// NoTables is the finding on several tables in one schema that does not exist. It takes the detail
// of NoTable for each of them.
func NoTables(schema, detail string, tables []string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeNoTable, Object: "schema " + schema,
		Message: fmt.Sprintf("schema %q of the policy file does not exist", schema),
		Detail:  fmt.Sprintf("%s Missing tables: %s.", detail, some(tables, 5, ", "))}
}

// Difference is a property of a table that differs from the catalog snapshot, in words. Want is ""
// for a new property, and Got for a missing one.
type Difference struct{ Property, Want, Got string }

func (d Difference) sentence() string {
	switch {
	case d.Want == "":
		return fmt.Sprintf("New %s: %s.", d.Property, d.Got)
	case d.Got == "":
		return fmt.Sprintf("Missing %s: %s.", d.Property, d.Want)
	}
	return fmt.Sprintf("Different %s: wanted %s, found %s.", d.Property, d.Want, d.Got)
}

// PolicyRefusal is a policy that the generator would refuse, and the fault.
type PolicyRefusal struct {
	Policy string
	Fault  diag.Diagnostic
}

func (r PolicyRefusal) sentence() string {
	return fmt.Sprintf("Policy %q would be refused at %s: %s [%s].", r.Policy, r.Fault.Position, r.Fault.Message,
		r.Fault.Code)
}

// TableChange is a table that differs from the catalog snapshot, and what the generator would do
// with the present table: refuse policies, or write other objects.
type TableChange struct {
	Table       string
	Differences []Difference
	Refusals    []PolicyRefusal
	Objects     []string // such as "+ index app.x"
}

// TableDiffers shows a single difference as wanted and found value, and lists several differences.
// If the only fault of the present table has a statement as its hint, this is the hint.
func TableDiffers(c TableChange) diag.Diagnostic {
	d := diag.Diagnostic{Code: CodeSnapshot, Object: c.Table,
		Message: fmt.Sprintf("table %q differs from the catalog snapshot", c.Table)}
	if len(c.Differences) == 1 {
		one := c.Differences[0]
		d.Message, d.Want, d.Got = d.Message+": "+one.Property, one.Want, one.Got
	} else {
		d.Detail = sentences(c.Differences, 8) + " "
	}
	switch {
	case len(c.Refusals) > 0:
		d.Detail += sentences(c.Refusals, 4)
		d.Hint = `Change the table back or the policy, then run "pgretain snapshot" and "pgretain generate".`
		if own := c.Refusals[0].Fault.Hint; len(c.Refusals) == 1 && strings.HasPrefix(own, "ALTER TABLE ") {
			d.Hint = own
		}
	case len(c.Objects) > 0:
		more := ""
		if len(c.Objects) > 2 {
			more = " and others"
		}
		d.Detail += fmt.Sprintf("For the present table, other objects would be generated: %s%s.",
			strings.Join(c.Objects[:min(len(c.Objects), 2)], "; "), more)
		d.Hint = `Run "pgretain snapshot" and "pgretain generate", and migrate.`
	default:
		d.Detail += "No generated object depends on it."
		d.Severity, d.Hint = diag.Info, `Run "pgretain snapshot" and commit the file.`
	}
	return d
}

// sentences joins the sentences of the first facts, and says how many more there are.
func sentences[F interface{ sentence() string }](facts []F, most int) string {
	return some(lists.Map(facts, F.sentence), most, " ")
}

// OtherType takes the key of an expression in the catalog snapshot, its type there, and its type
// now.
func OtherType(policy, key, want, got string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeSnapshot, Policy: policy, Want: want, Got: got,
		Message: fmt.Sprintf("an expression of policy %q has another type than in the catalog snapshot", policy),
		Detail:  fmt.Sprintf("It is read by: %s.", key),
		Hint: `Run "pgretain snapshot" and "pgretain generate", and migrate; ` +
			`or give the expression back its type.`}
}

// ExpressionRefusedNow takes the error of the server about an expression that it accepted when the
// policy was generated.
func ExpressionRefusedNow(policy string, e ServerError) diag.Diagnostic {
	return refusedBy(e, policy, fmt.Sprintf("an expression of policy %q is refused", policy),
		"Restore the objects that it uses, or change the expression.")
}

// FunctionsRefused takes the error of the server about the expressions in functions of a policy.
func FunctionsRefused(policy string, e ServerError) diag.Diagnostic {
	return refusedBy(e, policy, fmt.Sprintf("the functions of policy %q are refused", policy),
		"Restore the objects that its expressions use, or change the expressions.")
}

func refusedBy(e ServerError, policy, message, hint string) diag.Diagnostic {
	detail := e.Detail
	if detail != "" {
		detail = strings.TrimSuffix(detail, ".") + ". "
	}
	return diag.Diagnostic{Code: CodeExpression, Policy: policy, Message: message + ": " + e.Message,
		Detail: fmt.Sprintf("%sRuns of the policy fail [%s].", detail, e.SQLState),
		Hint:   hint + ` Then run "pgretain snapshot" and "pgretain generate", and migrate.`}
}

// SchemasClosed takes the role that verifies, the schemas as SQL, and the role that should read
// them.
func SchemasClosed(role, schemas, reader string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeExpression, Severity: diag.Info,
		Message: fmt.Sprintf("not all expressions were checked: role %q has no USAGE on schema %s", role, schemas),
		Detail:  "Counting overdue rows checks the conditions of the policies as well.",
		Hint:    fmt.Sprintf("GRANT USAGE ON SCHEMA %s TO %s;", schemas, reader)}
}

// NoSchema is the finding on a schema under "coverage".
func NoSchema(name string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeCoverageName,
		Message: fmt.Sprintf(`schema "%s" of "coverage" does not exist`, name),
		Detail:  "If the schema was renamed, its tables are not checked.", Hint: "Write its new name, or take it out."}
}

// Exemption takes why the table needs no exemption: it is a "view" or "foreign", or belongs to an
// "extension". If this is "", the table does not exist.
func Exemption(table, useless, reason string) diag.Diagnostic {
	d := diag.Diagnostic{Code: CodeCoverageName, Message: fmt.Sprintf(`table "%s" is exempt and does not exist`, table),
		Hint: "Write its new name, or take the exemption out."}
	if useless != "" {
		why := map[string]string{"view": "it is a view", "foreign": "its rows are on another server",
			"extension": "it belongs to an extension"}
		d.Severity, d.Hint = diag.Info, "Take the exemption out."
		d.Message = fmt.Sprintf(`table "%s" needs no exemption: %s`, table, why[useless])
	}
	if reason != "" {
		d.Detail = fmt.Sprintf("It is exempt for: %s.", reason)
	}
	return d
}

// UncoveredTable is a table from which no policy takes rows.
type UncoveredTable struct {
	N                     int // the position of its schema in the query's parameter
	Name                  string
	Partitioned, Unlogged bool
	Parts                 int64  // partitions that are not covered
	Size                  string // "" if another session has locked the table
	Rows                  *int64 // estimated; nil if unknown
	Inserted              *int64 // nil if unknown
	Since                 string // the timestamp from which Inserted counts; "" if it counts all
}

// Uncovered takes sentences of NamedBy.
func Uncovered(t UncoveredTable, named []string) diag.Diagnostic {
	kind := "table"
	switch {
	case t.Partitioned:
		kind = "partitioned table"
	case t.Unlogged:
		kind = "unlogged table"
	}
	return diag.Diagnostic{Code: CodeUncovered, Severity: diag.Undecided, Object: t.Name,
		Message: fmt.Sprintf(`%s "%s" has no policy, no protection and no exemption`, kind, t.Name),
		Detail:  strings.Join(append(t.growth(), named...), " "),
		Hint: fmt.Sprintf(`Write a policy for it, or name %s under "protect" or under "exempt" of "coverage".`,
			t.Name)}
}

func (t UncoveredTable) growth() []string {
	if t.Partitioned && t.Parts == 0 {
		return []string{"It has no partition yet."}
	}
	size := "It takes " + t.Size
	if t.Size == "" {
		size = "Its size could not be read, because another session has locked it"
	}
	if t.Partitioned {
		size += " in " + Number(t.Parts, "partition", "partitions")
	}
	if t.Rows != nil {
		size += ", about " + Number(*t.Rows, "row", "rows")
	}
	if t.Inserted == nil {
		return []string{size + "."}
	}
	return []string{size + ".", fmt.Sprintf("%s inserted since %s.", Number(*t.Inserted, "row was", "rows were"),
		cmp.Or(t.Since, "its statistics began"))}
}

// NamedBy returns a sentence about a policy that names a table but takes no rows from it. It takes
// whether this is the policy's own table, and whether a step writes to it.
func NamedBy(policy string, own, writes bool) string {
	switch {
	case own:
		return fmt.Sprintf(`Policy "%s" is for this table, but its steps do not change the rows.`, policy)
	case writes:
		return fmt.Sprintf(`Policy "%s" writes to it.`, policy)
	}
	return fmt.Sprintf(`Policy "%s" has it under "cascades", but no foreign key of it deletes rows.`, policy)
}

// LocalClock takes the time zone of the install, and that of the database's sessions.
func LocalClock(policy, clock, own, zone string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeLocalClock, Severity: diag.Warning, Policy: policy, Want: own, Got: zone,
		Message: fmt.Sprintf("clock %q of policy %q has no time zone, and the database has another time zone "+
			"than the policy", clock, policy),
		Detail: fmt.Sprintf("Runs read its times in %s. Where sessions write them in %s, rows are due hours "+
			"early or late.", own, zone),
		Hint: fmt.Sprintf("Write install: {time_zone: %s}, or expression: \"(%s) AT TIME ZONE '%[1]s'\". Where "+
			"the times are written in %[3]s, suppress this.", zone, clock, own)}
}
