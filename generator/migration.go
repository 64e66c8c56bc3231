package generator

import (
	"errors"
	"fmt"
	"slices"

	"pgretain/policy"
)

// NextOptions says how the files of a step are written.
type NextOptions struct {
	// Roles become SET LOCAL ROLE around what the owner and the runner create.
	Roles policy.Roles
	// SearchPath, when given, is set in every file: names in expressions then mean the same
	// whoever runs the file. Parts are identifiers, in order.
	SearchPath []string
	// Label is the middle of the file names, "retention" when empty.
	Label string
	// Version gives a number greater than previous; one more when nil.
	Version func(previous int64) int64
}

// File is one migration to be written: Name without a directory, Content with LF line ends.
type File struct {
	Name    string
	Content string
}

// change is one object before and after a step; exactly one of them is nil for a new and for a
// removed object.
type change struct {
	before, after *Object
	// stays marks a column or an archive that no step removes: it was there before, or holds data now.
	stays bool
}

// object is the later of the two.
func (c change) object() Object {
	if c.after != nil {
		return *c.after
	}
	return *c.before
}

// part is the changes of one file, in the order of execution.
type part struct {
	middle        string // of the file's name
	what          string // for the head comment
	noTransaction bool
	lockTimeout   bool
	changes       []change
}

// Next compares what h installs with what is wanted and returns the files of one step that makes
// up the difference, none when there is none. Within a kind the order of wanted is kept. The
// error is an *ObjectError, or several joined.
func Next(h *History, wanted []Object, opt NextOptions) ([]File, error) {
	changes, err := compare(h, wanted)
	if err != nil {
		return nil, err
	}
	return writeStep(h.clone(), split(changes, opt), opt)
}

// compare lists what differs: new and changed objects in the order of wanted by kind, then the
// removed ones, latest first.
func compare(h *History, wanted []Object) ([]change, error) {
	wanted = slices.Clone(wanted)
	slices.SortStableFunc(wanted, func(a, b Object) int { return rank(a.Kind) - rank(b.Kind) })
	seen := map[ID]bool{}
	var changes []change
	var errs []error
	for i := range wanted {
		after := &wanted[i]
		errs = append(errs, check(*after, seen[after.ID()])...)
		seen[after.ID()] = true
		before, had := h.Object(after.ID())
		if had && before.Hash() == after.Hash() {
			continue
		}
		c := change{after: after, stays: h.left[after.ID()]}
		if had {
			c.before = &before
		}
		changes = append(changes, c)
	}
	removed := removals(h, seen)
	changes = append(changes, removed...)
	for _, c := range changes {
		errs = append(errs, checkUpgrade(c)...)
	}
	return changes, errors.Join(errs...)
}

// removals lists what is installed and no longer wanted, in the reverse order of creation.
func removals(h *History, wanted map[ID]bool) []change {
	var changes []change
	for _, object := range slices.Backward(h.Objects()) {
		if !wanted[object.ID()] {
			changes = append(changes, change{before: &object, stays: holdsData(object.Kind)})
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return rank(b.before.Kind) - rank(a.before.Kind) })
	return changes
}

// kinds in the order of creation.
var kinds = []Kind{
	KindType, KindTable, KindFunction, KindProcedure, KindView, KindColumn, KindArchive, KindPrivilege,
	KindIndex, KindInstall, KindStored, KindPolicy, KindJob, KindCron,
}

// holdsData says whether objects of a kind are left where they are when nobody wants them any more.
func holdsData(kind Kind) bool { return kind == KindColumn || kind == KindArchive }

func rank(kind Kind) int { return slices.Index(kinds, kind) }

// isRuntime says whether an object belongs to the runtime, which has a file of its own.
func isRuntime(o Object) bool { return o.Policy == "" && rank(o.Kind) <= rank(KindView) }

// split sorts changes into the files of a step. What policies need comes before what uses it;
// removals come last, except that cron jobs are unscheduled before anything else changes.
func split(changes []change, opt NextOptions) []part {
	label := opt.Label
	if label == "" {
		label = "retention"
	}
	parts := []part{
		{middle: "pgretain_runtime", what: "The runtime: tables, functions and procedures that all policies share."},
		{middle: label + "_tables", what: "The application's tables: columns and privileges. Waits at most 10 s for a lock.", lockTimeout: true},
		{middle: label + "_indexes", what: "Indexes, built without blocking writes. May be run again after a failure.", noTransaction: true},
		{middle: label + "_policies", what: "Functions, registry rows and schedule of the policies."},
		{middle: label + "_drop_indexes", what: "Indexes that no policy needs any more, dropped without blocking writes.", noTransaction: true},
	}
	for _, c := range changes {
		i := place(c)
		parts[i].changes = append(parts[i].changes, c)
	}
	unscheduleFirst(&parts[3])
	return slices.DeleteFunc(parts, func(p part) bool { return len(p.changes) == 0 })
}

// place is the index of the file that a change belongs to.
func place(c change) int {
	o := c.object()
	switch {
	case o.Kind == KindIndex && c.after == nil:
		return 4
	case c.after == nil:
		return 3
	case o.Kind == KindIndex:
		return 2
	case holdsData(o.Kind), o.Kind == KindPrivilege:
		return 1
	case isRuntime(o):
		return 0
	}
	return 3
}

// unscheduleFirst moves the removal of cron jobs to the front: a job must not start while what it
// calls goes away.
func unscheduleFirst(p *part) {
	slices.SortStableFunc(p.changes, func(a, b change) int { return unscheduleRank(a) - unscheduleRank(b) })
}

func unscheduleRank(c change) int {
	if c.after == nil && c.before.Kind == KindCron {
		return 0
	}
	return 1
}

// writeStep walks h through the parts and renders one file for each.
func writeStep(h *History, parts []part, opt NextOptions) ([]File, error) {
	var files []File
	for i, p := range parts {
		version, err := nextVersion(h, opt)
		if err != nil {
			return nil, err
		}
		after := h.State()
		h.apply(p)
		m := Migration{Name: h.fileName(version, p.middle), Version: version, State: h.hash(), After: after}
		h.files, h.last = append(h.files, m), version
		content, err := render(m, p, fmt.Sprintf("part %d of %d", i+1, len(parts)), opt)
		if err != nil {
			return nil, err
		}
		files = append(files, File{Name: m.Name, Content: content})
	}
	return files, nil
}

// apply is replay for changes that are not written yet.
func (h *History) apply(p part) {
	for _, c := range p.changes {
		if c.after != nil {
			h.put(*c.after)
		} else {
			h.remove(c.before.ID())
		}
	}
}

func nextVersion(h *History, opt NextOptions) (int64, error) {
	if opt.Version == nil {
		return h.NextVersion(), nil
	}
	version := opt.Version(h.last)
	if version <= h.last {
		return 0, fmt.Errorf("numbering migrations: %d does not come after %d", version, h.last)
	}
	return version, nil
}
