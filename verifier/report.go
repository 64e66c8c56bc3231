package verifier

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/internal/report"
	"pgretain/policy"
)

// Info is the severity of a finding that is worth knowing and no drift.
const Info = diag.Info

// Verdict is what a report says of the whole.
type Verdict string

// The verdicts. Drift wins over Unknown.
const (
	Conforms Verdict = "conforms"
	Drift    Verdict = "drift"
	Unknown  Verdict = "unknown"
)

// Finding is one thing that is not as the policy file wants it, or that could not be seen.
type Finding struct {
	Code     string
	Group    Group         // of its check
	Severity diag.Severity // diag.Drift, diag.Unknown or Info
	Kind     generator.Kind
	Object   string        // the object's name, "" for a finding about something else
	Table    string        // "schema.name" of the table that it is about; without it that of the policy
	Policy   string        // the policy or job that it is about, "" for the runtime
	Position diag.Position // of that policy or job, or of the name in question
	Want     string        // the wanted value where there is a short one
	Got      string
	Message  string
	Detail   string
	Hint     string // what to do: SQL whose statements end in ";", a command for the shell, or a sentence

	Suppressed *policy.Suppression // by which the policy file takes it out of the verdict
}

// Report is what Verify found, sorted by position and code.
type Report struct {
	File     string
	Objects  int // wanted objects
	Policies int
	Checks   []string // codes of those that were made
	Findings []Finding
}

// Count is the number of findings of a severity, suppressed ones left out.
func (r *Report) Count(severity diag.Severity) int {
	n := 0
	for _, f := range r.Findings {
		if f.Severity == severity && f.Suppressed == nil {
			n++
		}
	}
	return n
}

// Suppressed is the number of findings that the policy file takes out of the verdict.
func (r *Report) Suppressed() int {
	n := 0
	for _, f := range r.Findings {
		if f.Suppressed != nil {
			n++
		}
	}
	return n
}

// Verdict sums the findings up.
func (r *Report) Verdict() Verdict {
	switch {
	case r.Count(diag.Drift) > 0:
		return Drift
	case r.Count(diag.Unknown) > 0:
		return Unknown
	}
	return Conforms
}

// ExitCode is 0 when the database conforms and 1 otherwise; a verification that could not run has
// no report, and its exit code is 2.
func (r *Report) ExitCode() int {
	if r.Verdict() == Conforms {
		return 0
	}
	return 1
}

// Text writes the findings for people, under a heading for each group: in it first what decides the
// verdict, then by position. The last line counts and says the verdict. Suppressed findings are
// counted only.
func (r *Report) Text(w io.Writer, colour bool) error { return r.text(w, colour, false) }

// TextAll is Text with the suppressed findings.
func (r *Report) TextAll(w io.Writer, colour bool) error { return r.text(w, colour, true) }

func (r *Report) text(w io.Writer, colour, all bool) error {
	out := bufio.NewWriter(w)
	for _, g := range Groups() {
		findings := r.of(g, all)
		if len(findings) == 0 {
			continue
		}
		fmt.Fprintf(out, "%s\n\n", diag.Bold("== "+string(g)+": "+counts(findings), colour))
		list := diag.List{}
		for _, f := range findings {
			list = append(list, f.shown())
		}
		if err := list.Render(out, nil, colour); err != nil {
			return err
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintln(out, r.Summary())
	return out.Flush()
}

// of are the findings of a group, in the order of their text.
func (r *Report) of(g Group, all bool) []Finding {
	var list []Finding
	for _, f := range r.Findings {
		if checks[f.Code].Group == g && (all || f.Suppressed == nil) {
			list = append(list, f)
		}
	}
	slices.SortStableFunc(list, func(a, b Finding) int { return cmp.Compare(a.weight(), b.weight()) })
	return list
}

var severities = []diag.Severity{diag.Drift, diag.Unknown, diag.Info, diag.Suppressed}

// weight orders findings by what they do to the verdict.
func (f Finding) weight() int { return slices.Index(severities, f.shown().Severity) }

// shown is the finding as the text has it.
func (f Finding) shown() diag.Diagnostic { return f.neutral().Shown() }

// counts says how many findings of each severity a list has: "2 drift, 1 info".
func counts(list []Finding) string {
	var parts []string
	for _, severity := range severities {
		n := 0
		for _, f := range list {
			if f.shown().Severity == severity {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, severity))
		}
	}
	return strings.Join(parts, ", ")
}

// Summary is the last line of the text.
func (r *Report) Summary() string {
	suppressed := ""
	if n := r.Suppressed(); n > 0 {
		suppressed = fmt.Sprintf(", %d suppressed", n)
	}
	return fmt.Sprintf("Found %d drift, %d unknown, %d info%s in %s (%s, %s%s). Verdict: %s", r.Count(diag.Drift), r.Count(diag.Unknown),
		r.Count(diag.Info), suppressed, plural(r.Objects, "object"), policies(r.Policies), r.File, r.some(), r.Verdict())
}

// some says so where not all checks were made.
func (r *Report) some() string {
	if len(r.Checks) == len(checks) {
		return ""
	}
	return fmt.Sprintf(", %d of %d checks", len(r.Checks), len(checks))
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func policies(n int) string {
	if n == 1 {
		return "1 policy"
	}
	return fmt.Sprintf("%d policies", n)
}

func (f Finding) diagnostic() diag.Diagnostic {
	return diag.Diagnostic{Position: f.Position, Severity: f.Severity, Code: f.Code, Message: f.Message, Want: f.Want, Got: f.Got,
		Detail: f.Detail, Hint: f.Hint, Policy: f.Policy, Table: f.Table, Object: f.Object}
}

// sort orders the findings by position and code, and drops repetitions.
func (r *Report) sort() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Position.File, b.Position.File), cmp.Compare(a.Position.Line, b.Position.Line),
			cmp.Compare(a.Position.Column, b.Position.Column), cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Message, b.Message), cmp.Compare(a.Want, b.Want), cmp.Compare(a.Got, b.Got),
		)
	})
	r.Findings = slices.Compact(r.Findings)
}

// Log is the report for machines. Version is that of the program; root is the directory that files are
// named from.
func (r *Report) Log(version, root string) report.Log {
	log := report.Log{Verb: "verify", Version: version, File: r.File, Root: root, Findings: []report.Finding{}}
	for _, f := range r.Findings {
		log.Findings = append(log.Findings, f.neutral())
	}
	return log
}

// neutral is the finding in the form that lint has too.
func (f Finding) neutral() report.Finding {
	return report.Finding{Diagnostic: f.diagnostic(), Group: string(f.Group), Kind: string(f.Kind), Suppressed: f.Suppressed}
}

// jsonReport is version 1 of the form that docs/verify.md describes.
type jsonReport struct {
	Version    int              `json:"version"`
	Verdict    Verdict          `json:"verdict"`
	File       string           `json:"file"`
	Objects    int              `json:"objects"`
	Policies   int              `json:"policies"`
	Drift      int              `json:"drift"`
	Unknown    int              `json:"unknown"`
	Info       int              `json:"info"`
	Suppressed int              `json:"suppressed"`
	LeftOut    []string         `json:"left_out,omitempty"`
	Findings   []report.Finding `json:"findings"`
}

// JSON writes the report as one JSON object.
func (r *Report) JSON(w io.Writer) error {
	return report.WriteJSON(w, jsonReport{Version: 1, Verdict: r.Verdict(), File: r.File, Objects: r.Objects, Policies: r.Policies,
		Drift: r.Count(diag.Drift), Unknown: r.Count(diag.Unknown), Info: r.Count(diag.Info), Suppressed: r.Suppressed(),
		LeftOut: r.leftOut(), Findings: r.Log("", "").Findings})
}

// leftOut are the checks that were not asked for.
func (r *Report) leftOut() []string {
	var list []string
	for _, c := range Checks() {
		if !slices.Contains(r.Checks, c.Code) {
			list = append(list, c.Code)
		}
	}
	return list
}

// Hints hold SQL that can be pasted into psql as it is, each statement with its semicolon.

// repairHint is for what a migration created and a hand changed: no migration is pending then.
const repairHint = "Run its statements from the last migration that has them again, in the role that the migration takes."

// ident is a name as SQL takes it, in quotes where it needs them.
func ident(name string) string {
	if parts, err := pgparse.Name(name); err == nil && len(parts) == 1 && parts[0] == name {
		return name
	}
	return quote.Ident(name)
}

// idents is a list of names.
func idents(names []string) string { return commas(names, ident) }

func commas(names []string, written func(string) string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = written(name)
	}
	return strings.Join(list, ", ")
}

// own is the name of a routine or relation in the runtime's schema, "schema.name", as SQL takes it. That schema's
// name has no dot.
func own(name string) string {
	schema, object, _ := strings.Cut(name, ".")
	return ident(schema) + "." + ident(object)
}

// routineSQL is own of a wanted routine, "schema.name(types)": its name is plain, and its types are SQL.
func routineSQL(name string) string {
	name, arguments, _ := strings.Cut(name, "(")
	return own(name) + "(" + arguments
}

// objectSQL is own of a wanted object of any kind in the runtime's schema.
func objectSQL(o generator.Object) string {
	if o.Kind == generator.KindFunction || o.Kind == generator.KindProcedure {
		return routineSQL(o.Name)
	}
	return own(o.Name)
}

// tableParts are schema and name of "schema.name". The catalog snapshot tells where the first ends, for names may
// have dots.
func (v *inspection) tableParts(name string) (schema, table string) {
	if v.opt.Snapshot != nil {
		for _, t := range v.opt.Snapshot.Tables {
			if len(t.Schema)+1+len(t.Name) == len(name) && t.Schema+"."+t.Name == name {
				return t.Schema, t.Name
			}
		}
	}
	schema, table, _ = strings.Cut(name, ".")
	return schema, table
}

// table is "schema.name" as SQL takes it.
func (v *inspection) table(name string) string {
	schema, table := v.tableParts(name)
	return ident(schema) + "." + ident(table)
}

// runtime is an object of the runtime as SQL takes it.
func (v *inspection) runtime(name string) string { return ident(v.install.Schema) + "." + name }

// as has a role run a statement.
func as(role, statement string) string {
	return fmt.Sprintf("SET ROLE %s; %s RESET ROLE;", ident(role), statement)
}

// buildHint has the statements with which a migration builds an index, a line each or more. They may be
// repeated, also after a build that did not finish.
func (v *inspection) buildHint(o generator.Object) string { return v.inPath(statements(o.SQL)) }

// rebuildHint drops the index first; the row in which its definition was written down stays.
func (v *inspection) rebuildHint(o generator.Object) string {
	drop := slices.DeleteFunc(statements(o.Drop), func(s string) bool { return strings.HasPrefix(s, "DELETE ") })
	return v.inPath(append(drop, statements(o.SQL)...))
}

// inPath has statements run with the search path of migrations, which says what their operators mean.
func (v *inspection) inPath(statements []string) string {
	path := append(append([]string{"pg_catalog"}, v.install.SearchPath...), "pg_temp")
	return strings.Join(slices.Concat([]string{"SET search_path = " + idents(path) + ";"}, statements, []string{"RESET search_path;"}), "\n")
}

// statements are those of an object's SQL, without the comment above each.
func statements(sql string) []string {
	var list []string
	for _, statement := range strings.Split(sql, "-- next\n") {
		for strings.HasPrefix(statement, "--") {
			_, statement, _ = strings.Cut(statement, "\n")
		}
		list = append(list, strings.TrimSpace(statement))
	}
	return list
}
