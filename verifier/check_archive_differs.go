package verifier

import (
	"fmt"
	"strings"

	"pgretain/policy"
)

var codeArchiveDiffers = register("V063", Conformance, "an archive does not hold what the run log says")

// archivedRun is a run whose rows in an archive are more or fewer than it wrote.
type archivedRun struct{ run, logged, live int64 }

func (v *inspection) archiveDiffers(p *policy.Policy, into policy.Table, differ []archivedRun) {
	var want, got []string
	for i, d := range differ {
		if i == 5 {
			want, got = append(want, "..."), append(got, "...")
			break
		}
		want, got = append(want, fmt.Sprintf("run %d: %d", d.run, d.logged)), append(got, fmt.Sprintf("run %d: %d", d.run, d.live))
	}
	v.add(Finding{Code: codeArchiveDiffers, Policy: p.Name, Position: into.Position, Object: into.String(),
		Message: fmt.Sprintf("archive %q does not hold what policy %q archived, in %s", into, p.Name, plural(len(differ), "run")),
		Want:    strings.Join(want, ", "), Got: strings.Join(got, ", "),
		Detail: "Nothing of this policy file takes rows from there: somebody else deleted, changed or added some.",
		Hint:   "Look for the lost rows in a backup. If an application may delete there, a policy on the archive says so."})
}
