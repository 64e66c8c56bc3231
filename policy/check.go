package policy

import (
	"fmt"

	"pgretain/internal/diag"
)

// references checks that jobs run policies and reports of the file, each once, and that a name is
// one of the two.
func (r *reader) references(f *File) {
	names := r.runnable(f)
	known := map[string]bool{}
	for _, name := range names {
		known[name] = true
	}
	for _, j := range f.Jobs {
		first := map[string]diag.Position{}
		for _, ref := range j.Run {
			if !known[ref.Name] {
				r.add(codeUnknownPolicy, ref.Position, fmt.Sprintf("job %q runs an unknown policy or report %q", j.Name, ref.Name), "", didYouMean(ref.Name, names))
			}
			if at, ok := first[ref.Name]; ok {
				r.add(codeRunTwice, ref.Position, fmt.Sprintf("job %q already runs %q", j.Name, ref.Name), fmt.Sprintf("The first place is %s.", at), "")
				continue
			}
			first[ref.Name] = ref.Position
		}
	}
}

// runnable lists what a job may run: policies and reports share one set of names.
func (r *reader) runnable(f *File) []string {
	var names []string
	policies := map[string]diag.Position{}
	for _, p := range f.Policies {
		names = append(names, p.Name)
		policies[p.Name] = p.Position
	}
	for _, report := range f.Reports {
		names = append(names, report.Name)
		if at, ok := policies[report.Name]; ok {
			r.add(codeSameName, report.Position, fmt.Sprintf("%q is the name of a policy already", report.Name), fmt.Sprintf("The policy is at %s; jobs run both by name.", at), "Choose another name.")
		}
	}
	return names
}

// protected checks that nothing changes a protected table's rows: steps may insert and archive into
// it, no more.
func (r *reader) protected(f *File) {
	for _, p := range f.Policies {
		r.spare(f.Protect, p.Table, fmt.Sprintf("policy %q", p.Name))
		for _, step := range p.Then {
			r.spareFrom(f.Protect, step)
		}
		for _, entry := range p.dueEntries() {
			if entry.Clock != nil && entry.Clock.Watermark != nil {
				r.spare(f.Protect, entry.Clock.Watermark.Table, `"watermark"`)
			}
		}
		if p.Claim != nil && p.Claim.Cursor != nil {
			r.spare(f.Protect, p.Claim.Cursor.Table, `"cursor"`)
		}
	}
}

func (r *reader) spareFrom(protected []Table, s Step) {
	if s.Related != nil && (s.Delete != nil || s.Update != nil) {
		r.spare(protected, s.Related.Table, "a step on related rows")
	}
	switch {
	case s.Delete != nil:
		for _, t := range s.Delete.Cascades {
			r.spare(protected, t, `"cascades"`)
		}
	case s.Archive != nil && s.Archive.Existing == "replace":
		r.spare(protected, s.Archive.Into, `"existing: replace"`)
	case s.SQL != nil:
		for _, u := range writes(s.SQL) {
			if u.Access.Update && !u.Access.Insert || u.Access.Delete {
				r.spare(protected, u.Table, "a statement")
			}
		}
	}
}

func (r *reader) spare(protected []Table, t Table, what string) {
	for _, p := range protected {
		if p.same(t) {
			r.add(codeProtected, t.Position, fmt.Sprintf("%s would change or take rows of the protected table %q", what, t), fmt.Sprintf("It is protected at %s.", p.Position), "Take the table out here, or out of \"protect\".")
		}
	}
}
