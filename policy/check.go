package policy

import (
	"fmt"

	"pgretain/internal/diag"
)

// references checks that jobs run policies of the file, each once.
func (r *reader) references(f *File) {
	var names []string
	known := map[string]bool{}
	for _, p := range f.Policies {
		names = append(names, p.Name)
		known[p.Name] = true
	}
	for _, j := range f.Jobs {
		first := map[string]diag.Position{}
		for _, ref := range j.Run {
			if !known[ref.Name] {
				r.add(codeUnknownPolicy, ref.Position, fmt.Sprintf("job %q runs an unknown policy %q", j.Name, ref.Name), "", didYouMean(ref.Name, names))
			}
			if at, ok := first[ref.Name]; ok {
				r.add(codeRunTwice, ref.Position, fmt.Sprintf("job %q already runs policy %q", j.Name, ref.Name), fmt.Sprintf("The first place is %s.", at), "")
				continue
			}
			first[ref.Name] = ref.Position
		}
	}
}

// protected checks that no step names a protected table.
func (r *reader) protected(f *File) {
	for _, p := range f.Policies {
		r.spare(f.Protect, p.Table, fmt.Sprintf("policy %q", p.Name))
		for _, step := range p.Then {
			if step.Delete == nil {
				continue
			}
			for _, t := range step.Delete.Cascades {
				r.spare(f.Protect, t, `"cascades"`)
			}
			if step.Related != nil {
				r.spare(f.Protect, step.Related.Table, "a step on related rows")
			}
		}
	}
}

func (r *reader) spare(protected []Table, t Table, what string) {
	for _, p := range protected {
		if p.same(t) {
			r.add(codeProtected, t.Position, fmt.Sprintf("%s would take rows of the protected table %q", what, t), fmt.Sprintf("It is protected at %s.", p.Position), "Take the table out here, or out of \"protect\".")
		}
	}
}
