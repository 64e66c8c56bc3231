package messages

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/diag"
	"pgretain/internal/quote"
)

// Repair is the hint for an object that a migration created and a person changed, if no pending
// migration replaces it.
const Repair = "Run its statements again, from the last migration that has them, " +
	"as the role that the migration uses."

// RepairFrom is Repair if the migration is known. It takes the part of the migration that has the
// statements.
func RepairFrom(part string) string {
	return fmt.Sprintf("Execute its statements again, from %s, as the role that the migration uses.", part)
}

// MissingObject is the finding on an object of the runtime that does not exist.
func MissingObject(kind, name string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeMissing, Message: fmt.Sprintf(`%s "%s" is missing`, kind, name), Hint: Repair}
}

// Routine says in which way an installed function or procedure differs from the generated one.
type Routine struct {
	N         int      // its position in the query's parameter
	Fault     string   // "missing", "definition", "settings" or "owner"
	Parts     []string // what differs
	Want, Got []string // the values of these parts; of the body, the first line that differs
	Line      int      // the number of this line, 0 if the body is the same
	SQL       string   // the routine as SQL; "" if it is missing
}

// values returns the values of the parts as one text.
func (r Routine) values(list []string) string {
	list = slices.Clone(list)
	if i := slices.Index(r.Parts, "body"); i >= 0 {
		list[i] = fmt.Sprintf("line %d: %s", r.Line, list[i])
	}
	return strings.Join(list, "; ")
}

func OtherDefinition(kind, name string, r Routine) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeDiffers,
		Message: fmt.Sprintf(`%s "%s" has another %s`, kind, name, listed(r.Parts)),
		Want:    r.values(r.Want), Got: r.values(r.Got), Hint: Repair}
}

func OtherSettings(kind, name string, r Routine) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeSettings,
		Message: fmt.Sprintf(`%s "%s" runs with other rights or settings`, kind, name),
		Want:    r.values(r.Want), Got: r.values(r.Got), Hint: Repair}
}

// Owned is an object of the runtime whose owner is Got instead of Want.
type Owned struct {
	Kind, Name string
	SQL        string // the kind and the name as in ALTER
	Want, Got  string
	Runtime    string // schema of the runtime, quoted
	May        bool   // Want has CREATE on this schema, which ALTER ... OWNER TO needs
}

func OtherOwner(o Owned) diag.Diagnostic {
	d := diag.Diagnostic{Code: CodeOwner, Message: fmt.Sprintf(`%s "%s" has another owner`, o.Kind, o.Name),
		Want: `"` + o.Want + `"`, Got: `"` + o.Got + `"`, Hint: "pgretain bootstrap | psql -X -v ON_ERROR_STOP=1"}
	if o.May {
		d.Hint = fmt.Sprintf("ALTER %s OWNER TO %s; SELECT %s._apply_privileges();", o.SQL, quote.Ident(o.Want),
			o.Runtime)
	}
	return d
}

// RoutineOrphan is a routine of the runtime's schema that the policy file does not need.
type RoutineOrphan struct {
	Name   string // schema.name(arguments)
	SQL    string // the same, quoted
	Policy string // the installed policy that it belongs to; "" if there is none
}

// OrphanRoutine reports a routine that no policy wants. The functions of an installed policy that
// is not in the policy file go with the next migration.
func OrphanRoutine(o RoutineOrphan) diag.Diagnostic {
	d := diag.Diagnostic{Code: CodeOrphan, Object: o.Name,
		Message: fmt.Sprintf(`function "%s" is wanted by no policy`, o.Name),
		Detail:  "Functions in this schema come from migrations only: one of your own belongs into another schema.",
		Hint:    fmt.Sprintf("DROP ROUTINE %s;", o.SQL)}
	if o.Policy != "" {
		d.Detail = fmt.Sprintf(`It belongs to policy "%s", which is installed, but not in the policy file.`, o.Policy)
		d.Hint = `Run "pgretain generate", and migrate.`
	}
	return d
}

// Intercepted takes what a fresh install has on a relation, and what this one has.
func Intercepted(kind, name string, want, got []string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeIntercepted, Message: fmt.Sprintf(`something else acts on %s "%s"`, kind, name),
		Want: strings.Join(want, "; "), Got: strings.Join(got, "; "),
		Detail: "Statements of the runtime do something else there as well, or instead, or fail, " +
			"or see a part of the rows.",
		Hint: "Drop it, or switch it off, as the owner of the table."}
}

// NotAsInstalled takes the properties of a relation that a fresh install has, and those that this
// one has.
func NotAsInstalled(kind, name string, want, got []string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeNotAsInstalled,
		Message: fmt.Sprintf(`%s "%s" is not as it was installed`, kind, name),
		Want:    strings.Join(want, "; "), Got: strings.Join(got, "; "),
		Hint: "Run the statements of a view from the last migration again; " +
			"change a table or type back by an ALTER of what differs."}
}

// registered names a row of the registry.
func registered(kind, name string) string {
	if kind == "install" {
		return "the row of the install"
	}
	return fmt.Sprintf(`%s "%s"`, kind, name)
}

func RowMissing(kind, name string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeRowMissing, Message: registered(kind, name) + " is not in the registry",
		Hint: Repair}
}

// Row says in which columns a row of the registry differs.
type Row struct {
	N         int    // its position in the query's parameter
	Columns   string // "" if the row is missing
	Want, Got string
}

func RowDiffers(kind, name string, r Row) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeRowDiffers,
		Message: registered(kind, name) + " differs in the registry: " + r.Columns,
		Want:    r.Want, Got: r.Got, Hint: Repair}
}

func RowOrphan(kind, name string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeRowOrphan, Object: name,
		Message: fmt.Sprintf(`%s "%s" is in the registry, but not in the policy file`, kind, name),
		Detail: "It can be run until its row is deleted. " +
			"If no migration wrote the row, delete it as the owner of the runtime.",
		Hint: `Run "pgretain generate", and migrate.`}
}

// Copy takes why the database is a copy, in the words of the runtime, and the runtime's schema,
// quoted.
func Copy(why, runtime string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeCopy, Message: "the database is a copy, and no run starts in it", Got: why,
		Detail: "Adopt it only if rows are to be deleted here.", Hint: fmt.Sprintf("SELECT %s.adopt('why');", runtime)}
}
