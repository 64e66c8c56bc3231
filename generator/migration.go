package generator

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/parallel"
	"pgretain/policy"
)

// NextOptions says how the files of a step are written.
type NextOptions struct {
	// Roles become SET LOCAL ROLE around what the owner and the runner create.
	Roles policy.Roles
	// SearchPath, when given, is set in every file: names in expressions then mean the same
	// whoever runs the file. Parts are identifiers, in order.
	SearchPath []string
	// Schema, when given, is made by the first file for a tool that "pgretain migrate" does not stand for.
	Schema string
	// Cron says that the files are for the database where schema cron lives, and hold jobs only.
	Cron bool
	// Label is the middle of the file names, "retention" when empty.
	Label string
	// Version gives a number greater than previous; one more when nil.
	Version func(previous int64) int64

	path, pathBefore string // SearchPath on the way up, and on the way down what the step before had
	home             string // the runtime's schema, "" where the directory has none
}

// File is one migration to be written: Name without a directory, and its text, with LF line ends, in pieces
// that nobody has joined yet: it can have many megabytes.
type File struct {
	Name   string
	Pieces []string
}

// Content is the whole text.
func (f File) Content() string { return strings.Join(f.Pieces, "") }

// change is one object before and after a step; exactly one of them is nil for a new and for a
// removed object.
type change struct {
	before, after *Object
	// stays marks a column or an archive that no step removes: it was there before, or holds data now.
	stays bool
	// first says that what is there goes before anything is created, on both ways.
	first bool
	// was and is are the places of before and after in the order of creation.
	was, is int
	// the hashes of before and after, "" where nobody has made one.
	sumBefore, sum string
}

// back is the change on the way down.
func (c change) back() change {
	c.before, c.after = c.after, c.before
	c.was, c.is = c.is, c.was
	c.sumBefore, c.sum = c.sum, c.sumBefore
	return c
}

// hash is that of after.
func (c change) hash() string {
	if c.sum == "" {
		return c.after.Hash()
	}
	return c.sum
}

// object is the later of the two.
func (c change) object() *Object {
	if c.after != nil {
		return c.after
	}
	return c.before
}

// part is the changes of one file, in the order of execution.
type part struct {
	Migration
	place         string // which part of how many
	middle        string // of the file's name
	what          string // for the head comment
	noTransaction bool
	lockTimeout   bool
	changes       []change
}

// Next compares what h installs with what is wanted and returns the files of one step that makes
// up the difference, none when there is none. What belongs to one policy is one object there, see Pages. Within a kind
// the order of wanted is kept. The error is an *ObjectError, or several joined.
func Next(h *History, wanted []Object, opt NextOptions) ([]File, error) {
	if h.tool.format == "" { // nobody has read a directory
		h = h.clone()
		h.tool, h.width = gooseTool, gooseTool.width
	}
	if err := checkInstall(h, wanted, opt.Roles); err != nil {
		return nil, err
	}
	wanted = Pages(wanted, opt.Roles)
	opt.home = installSchema(append(h.Objects(), wanted...))
	changes, err := compare(h, wanted)
	if err != nil {
		return nil, err
	}
	return writeStep(h.clone(), split(changes, opt), opt)
}

// compare lists what differs: new and changed objects in the order of wanted by kind, then the
// removed ones, latest first. Where tables of the runtime are altered, all views are made anew.
func compare(h *History, wanted []Object) ([]change, error) {
	wanted, installed := byRank(wanted), byRank(h.Objects())
	checks, _ := parallel.Each(wanted, func(o Object) (checked, error) { return checked{o.Hash(), check(h.tool, o)}, nil })
	seen := map[ID]int{}
	var changes, views []change
	var errs []error
	was := map[ID]int{}
	for i, o := range installed {
		was[o.ID()] = i
	}
	for i := range wanted {
		after := &wanted[i]
		if _, twice := seen[after.ID()]; twice {
			errs = append(errs, &ObjectError{Kind: ErrTwice, Object: *after, Message: "wanted twice", Hint: "Give one of the two another name."})
		}
		errs = append(errs, checks[i].errs...)
		seen[after.ID()] = i
		c := change{after: after, stays: h.left[after.ID()], is: i, was: was[after.ID()], sum: checks[i].sum}
		before, had := h.Object(after.ID())
		switch {
		case had && before.Hash() == c.sum:
			if c.before = after; after.Kind == KindView {
				views = append(views, c)
			}
			continue
		case had:
			c.before = &before
		}
		changes = append(changes, c)
	}
	for i := len(installed) - 1; i >= 0; i-- {
		if o := &installed[i]; !has(seen, o.ID()) {
			changes = append(changes, change{before: o, stays: holdsData(o.Kind), was: i})
		}
	}
	for _, c := range changes {
		errs = append(errs, checkUpgrade(c)...)
	}
	return goFirst(changes, views), errors.Join(errs...)
}

// goFirst marks what goes before anything is created: privileges, since two objects may give the same one, and views
// where a step alters the runtime's tables, since they would stand in the way or keep old columns.
func goFirst(changes, unchangedViews []change) []change {
	altered := slices.ContainsFunc(changes, func(c change) bool { return c.object().Kind == KindUpgrade })
	if altered {
		changes = append(changes, unchangedViews...)
	}
	for i, c := range changes {
		changes[i].first = c.object().Kind == KindPrivilege || altered && c.object().Kind == KindView
	}
	return changes
}

// checked is what is wrong with an object, and its hash.
type checked struct {
	sum  string
	errs []error
}

// byRank sorts objects by kind, in the order of creation; those that have none of ours come first.
func byRank(objects []Object) []Object {
	places := map[int][]int{}
	for i := range objects {
		r := rank(objects[i].Kind)
		places[r] = append(places[r], i)
	}
	sorted := make([]Object, 0, len(objects))
	for r := -1; r < len(kinds); r++ {
		for _, i := range places[r] {
			sorted = append(sorted, objects[i])
		}
	}
	return sorted
}

func has(ids map[ID]int, id ID) bool {
	_, ok := ids[id]
	return ok
}

// kinds in the order of creation.
var kinds = []Kind{
	KindRuntime, KindType, KindTable, KindUpgrade, KindFunction, KindProcedure, KindView, KindColumn, KindArchive, KindPrivilege,
	KindIndex, KindInstall, KindStored, KindPolicy, KindJob, KindCron,
}

// holdsData says whether objects of a kind are left where they are when nobody wants them any more.
func holdsData(kind Kind) bool { return kind == KindColumn || kind == KindArchive }

func rank(kind Kind) int { return slices.Index(kinds, kind) }

// isRuntime says whether an object belongs to the runtime, which has a file of its own.
func isRuntime(o *Object) bool { return o.Policy == "" && rank(o.Kind) <= rank(KindView) }

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
		{middle: label + "_policies", what: "Functions, registry rows and schedule of the policies. Waits at most 10 s for a lock.", lockTimeout: true},
		{middle: label + "_drop_indexes", what: "Indexes that no policy needs any more, dropped without blocking writes.", noTransaction: true},
	}
	if opt.Cron {
		parts[3].middle, parts[3].what = label+"_jobs", "The jobs, in the database where schema cron lives."
	}
	regranted := slices.ContainsFunc(changes, func(c change) bool {
		return c.object().Kind == KindPrivilege && c.before != nil && c.after != nil
	})
	for _, c := range changes {
		i := place(c, regranted)
		parts[i].changes = append(parts[i].changes, c)
	}
	patient(&parts[0])
	slices.SortStableFunc(parts[3].changes, func(a, b change) int { return unscheduled(a) - unscheduled(b) })
	return slices.DeleteFunc(parts, func(p part) bool { return len(p.changes) == 0 })
}

// patient bounds the wait for tables that are in use: an upgrade alters those that every run reads.
func patient(runtime *part) {
	if slices.ContainsFunc(runtime.changes, func(c change) bool { return c.object().Kind == KindUpgrade }) {
		runtime.what += " Waits at most 10 s for a lock."
		runtime.lockTimeout = true
	}
}

// unscheduled puts jobs that go in front: so they do in the file.
func unscheduled(c change) int {
	if c.after == nil && c.before.Kind == KindCron {
		return 0
	}
	return 1
}

// place is the index of the file that a change belongs to. Where any privilege changes they all go together:
// what one takes back another may give.
func place(c change, regranted bool) int {
	o := c.object()
	switch {
	case o.Kind == KindIndex && c.after == nil:
		return 4
	case c.after == nil && c.first && isRuntime(o):
		return 0
	case c.after == nil:
		return 3
	case o.Kind == KindIndex:
		return 2
	case o.Kind == KindPrivilege && regranted: // together with the functions that need the old ones no more
		return 3
	case holdsData(o.Kind), o.Kind == KindPrivilege:
		return 1
	case isRuntime(o):
		return 0
	}
	return 3
}

// writeStep walks h through the parts and renders one file for each.
func writeStep(h *History, parts []part, opt NextOptions) ([]File, error) {
	opt.path = pathList(opt.SearchPath)
	if opt.pathBefore = h.path; len(h.files) == 0 {
		opt.pathBefore = opt.path
	}
	h.path = opt.path
	for i := range parts {
		version, err := nextVersion(h, opt)
		if err != nil {
			return nil, err
		}
		p := &parts[i]
		p.place = fmt.Sprintf("part %d of %d", i+1, len(parts))
		after := h.State()
		h.apply(*p)
		p.Migration = Migration{Name: h.fileName(version, p.middle), Version: version, State: h.hash(), After: after}
		h.files, h.last = append(h.files, p.Migration), version
	}
	files, err := parallel.Each(parts, func(p part) ([]File, error) { return render(h.tool, p, opt) })
	return slices.Concat(files...), err
}

// apply is replay for changes that are not written yet.
func (h *History) apply(p part) {
	for _, c := range p.changes {
		if c.before != nil && (c.after == nil || c.first) {
			h.remove(c.before.ID())
		}
		if c.after != nil {
			h.put(*c.after, c.hash())
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
	if h.tool.gapless && version != h.last+1 {
		return 0, fmt.Errorf("numbering migrations: %s wants %d after %d, not %d", h.tool.format, h.last+1, h.last, version)
	}
	return version, nil
}
