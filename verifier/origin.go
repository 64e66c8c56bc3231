package verifier

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"pgretain/generator"
	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/policy"
)

// codesOfOrigin are the checks whose findings a migration repairs if it was not generated or not
// applied.
var codesOfOrigin = []diag.Code{messages.CodeMissing, messages.CodeDiffers, messages.CodeSettings,
	messages.CodeRowMissing, messages.CodeRowDiffers, messages.CodeIndexMissing,
	messages.CodeIndexDiffers, messages.CodeColumn, messages.CodeCronMissing, messages.CodeCronDiffers,
	messages.CodeTableRights}

// Tool is the program that applies the migrations. The zero Tool is "pgretain migrate".
type Tool struct {
	Directory string           // directory of the migrations
	Format    generator.Format // "" if "pgretain migrate" applied them
}

// command returns the command that applies a migration.
func (t Tool) command(file string) string {
	quoted := func(name string) string { return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'" }
	switch t.Format {
	case generator.Goose:
		return fmt.Sprintf(`goose -dir %s postgres "$DATABASE_URL" up`, quoted(t.Directory))
	case generator.Tern:
		return "tern migrate --migrations " + quoted(t.Directory)
	case generator.Flyway:
		return "flyway migrate"
	case generator.Plain:
		return "apply " + quoted(path.Join(t.Directory, file)) + " with your migration tool"
	case generator.Psql:
		return "psql -v ON_ERROR_STOP=1 -f " + quoted(path.Join(t.Directory, file))
	}
	return "pgretain migrate up"
}

// up says where a file has the statements that apply it.
func (t Tool) up(file string) string {
	switch file = path.Join(t.Directory, file); t.Format {
	case generator.Flyway, generator.Psql, generator.Plain:
		return file
	case generator.Tern:
		return "the part above the dashes of " + file
	}
	return "the Up part of " + file
}

// subject returns the policy or job to which an object belongs; "" if it belongs to none.
func subject(of string, kind generator.Kind, name string) string {
	named := []generator.Kind{generator.KindPolicy, generator.KindEach, generator.KindJob}
	if of == "" && slices.Contains(named, kind) {
		of = name
	}
	of, _, _ = strings.Cut(of, policy.InstanceMark)
	return of
}

// explainOrigins replaces the findings on objects of policies that are not generated, or not
// applied, by one finding on that cause. The hint of the other findings names the migration that
// has the object.
func (v *inspection) explainOrigins() {
	if v.opt.History == nil {
		return
	}
	changed, older := map[string]bool{}, map[string]bool{}
	for _, c := range generator.Changes(v.opt.History.Objects(), generator.PolicyScripts(v.asked, v.install.Roles)) {
		o := c.Object()
		changed[subject(o.Policy, o.Kind, o.Name)] = true
	}
	for _, f := range v.report.Findings { // only a migration writes a hash into the registry
		if f.Code == messages.CodeRowDiffers && strings.Contains(f.Got, "hash = ") {
			older[subject(f.Policy, generator.Kind(f.Kind), f.Object)] = true
		}
	}
	stale, pending := map[string][]string{}, map[string][]string{} // subjects by file
	var hidden []Finding
	for i, f := range v.report.Findings {
		of := subject(f.Policy, generator.Kind(f.Kind), f.Object)
		if of == "" || f.Suppressed != nil || !slices.Contains(codesOfOrigin, f.Code) {
			continue
		}
		switch file := v.opt.History.FileOfRow(of); {
		case changed[of]:
			stale[""] = append(stale[""], of)
		case file != "" && (older[of] || slices.Contains(v.opt.Pending, file) ||
			slices.Contains(v.opt.CronPending, file)):
			pending[file] = append(pending[file], of)
		case file != "" && f.Hint == messages.Repair && f.Code != messages.CodeColumn: // a column is in another file
			v.report.Findings[i].Hint = messages.RepairFrom(v.opt.Tool.up(file))
			continue
		default:
			continue
		}
		hidden = append(hidden, f)
	}
	v.report.Findings = slices.DeleteFunc(v.report.Findings,
		func(f Finding) bool { return slices.Contains(hidden, f) })
	for _, names := range stale {
		names = lists.Distinct(names)
		v.explainBy(messages.Ungenerated(names, v.opt.Tool.command("FILE")), names, hidden)
	}
	for file, names := range pending {
		names = lists.Distinct(names)
		v.explainBy(messages.PendingIn(file, v.opt.Tool.command(file)), names, hidden)
	}
}

// explainBy adds a finding that explains the hidden findings of some subjects, or adds its
// explanation to the same finding.
func (v *inspection) explainBy(m message, subjects []string, hidden []Finding) {
	var codes []diag.Code
	for _, f := range hidden {
		if slices.Contains(subjects, subject(f.Policy, generator.Kind(f.Kind), f.Object)) {
			codes = append(codes, f.Code)
		}
	}
	at := slices.IndexFunc(v.report.Findings, func(f Finding) bool {
		return f.Code == m.Code && cmp.Or(f.Object, m.Object) == m.Object
	})
	if at < 0 {
		at = len(v.report.Findings)
		v.add(m)
	}
	v.report.Findings[at].Detail = messages.Explaining(v.report.Findings[at].Detail, codes)
}

// nameTool writes the command of another tool than "pgretain migrate" into hints.
func (v *inspection) nameTool() {
	if v.opt.Tool.Format == "" {
		return
	}
	command := v.opt.Tool.command("FILE")
	named := strings.NewReplacer(`"pgretain migrate up"`, command, "pgretain migrate up", command,
		", and migrate.", ", and migrate: "+command+".", ", and migrate;", ", and migrate: "+command+";")
	for i := range v.report.Findings {
		v.report.Findings[i].Hint = named.Replace(v.report.Findings[i].Hint)
	}
}
