package generator

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"pgretain/internal/diag"
	"pgretain/internal/parallel"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// What Next refuses to write; ObjectError wraps one of them.
var (
	ErrInstall = errors.New("installed under other names")
	ErrUpgrade = errors.New("needs an upgrade migration")
	ErrText    = errors.New("text cannot be written into a migration")
)

// ObjectError says which object cannot go into a migration, and why.
type ObjectError struct {
	Kind    error
	Object  Object
	Message string
	Hint    string
}

func (e *ObjectError) Error() string {
	return string(e.Object.Kind) + " " + quoteName(e.Object.Name) + ": " + e.Message
}

func (e *ObjectError) Unwrap() error { return e.Kind }

// Diagnostic is the error at the policy or job that wants the object.
func (e *ObjectError) Diagnostic() diag.Diagnostic {
	return diag.Diagnostic{Position: e.Object.Position, Severity: diag.Error, Message: e.Error(), Hint: e.Hint}
}

// NextOptions says how the files of a step are written.
type NextOptions struct {
	// Roles become SET LOCAL ROLE around what the owner and the runner create.
	Roles policy.Roles
	// SearchPath, when given, is set in every file: names in expressions then mean the same
	// whoever runs the file. Parts are identifiers, in order.
	SearchPath []string
	// Trust are the roles of install.trust: whose code an index or a default may run while the migration makes it.
	Trust []policy.Name
	// Schema, when given, is made by the first file for a tool that "pgretain migrate" does not stand for.
	Schema string
	// Cron says that the files are for the database where schema cron lives, and hold jobs only.
	Cron bool
	// Label is the middle of the file names, "retention" when empty.
	Label string
	// Version gives a number greater than previous; one more when nil.
	Version func(previous int64) int64

	path, pathBefore string // SearchPath in Up, and in Down what the step before had
	home             string // the runtime's schema, "" where the directory has none
}

// Next compares what h installs with what is wanted and returns the files of one step that makes
// up the difference, none when there is none. What belongs to one policy is one object there, see Pages. Within a kind
// the order of wanted is kept. The error is an *ObjectError, or several joined.
func Next(h *History, wanted []Object, opt NextOptions) ([]File, error) {
	if err := checkInstall(h, wanted, opt.Roles); err != nil {
		return nil, err
	}
	wanted = Pages(wanted, opt.Roles)
	opt.home = cmp.Or(installSchema(h.Objects()), installSchema(wanted))
	changes, err := compare(h, wanted)
	if err != nil {
		return nil, err
	}
	return writeStep(h, split(changes, opt), opt)
}

// compare lists what differs: new and changed objects in the order of wanted by kind, then the
// removed ones, latest first. Privileges go before anything is created, since two objects may give the same one. Where
// tables of the runtime are altered, all views are dropped first and re-created: else they block it or keep old columns.
func compare(h *History, wanted []Object) ([]Change, error) {
	wanted = byRank(wanted)
	all := pairs(byRank(h.Objects()), wanted)
	slices.Reverse(all[len(wanted):])
	altered := slices.ContainsFunc(all, func(c Change) bool { return c.Object().Kind == KindUpgrade && c.differs() })
	var changes, views []Change
	var errs []error
	for _, c := range all {
		o := c.Object()
		c.Keep = h.left[o.ID()] || c.After == nil && holdsData(o.Kind)
		c.DropFirst = o.Kind == KindPrivilege || altered && o.Kind == KindView
		if c.differs() {
			errs = append(errs, check(h.tool, c)...)
			changes = append(changes, c)
		} else if c.DropFirst && o.Kind == KindView {
			views = append(views, c)
		}
	}
	return append(changes, views...), errors.Join(errs...)
}

// waitsForLocks ends what a file is for, where it bounds how long its statements wait for locks.
const waitsForLocks = " Waits at most 10 s for a lock."

// emptyParts are the files of a step in their order.
func emptyParts(label string, cron bool) []part {
	parts := []part{
		{middle: "pgretain_runtime", what: "The runtime: tables, functions and procedures that all policies share."},
		{middle: label + "_tables", what: "The application's tables: columns and privileges." + waitsForLocks, lockTimeout: true},
		{middle: label + "_indexes", what: "Indexes, built without blocking writes. May be run again after a failure.", noTransaction: true},
		{middle: label + "_policies", what: "Functions, registry rows and schedule of the policies." + waitsForLocks, lockTimeout: true},
		{middle: label + "_drop_indexes", what: "Indexes that no policy needs any more, dropped without blocking writes.", noTransaction: true},
	}
	if cron {
		parts[3].middle, parts[3].what = label+"_jobs", "The jobs, in the database where schema cron lives."
	}
	return parts
}

// split sorts changes into the files of a step. What policies need comes before what uses it;
// removals come last, except that cron jobs are unscheduled before anything else changes.
func split(changes []Change, opt NextOptions) []part {
	parts := emptyParts(cmp.Or(opt.Label, "retention"), opt.Cron)
	regranted := slices.ContainsFunc(changes, func(c Change) bool {
		return c.Object().Kind == KindPrivilege && c.Sign() == "~"
	})
	var unscheduled []Change // these come first: so they do in the file
	for _, c := range changes {
		i := place(c, regranted)
		if c.After == nil && c.Before.Kind == KindCron {
			unscheduled = append(unscheduled, c)
		} else {
			parts[i].changes = append(parts[i].changes, c)
		}
		if i == 0 && c.Object().Kind == KindUpgrade && !parts[0].lockTimeout { // it alters tables that every run reads
			parts[0].what += waitsForLocks
			parts[0].lockTimeout = true
		}
	}
	parts[3].changes = append(unscheduled, parts[3].changes...)
	return slices.DeleteFunc(parts, func(p part) bool { return len(p.changes) == 0 })
}

// place is the index of the file that a change belongs to. Where any privilege changes they all go together:
// what one takes back another may give, with the functions that need the old ones no more.
func place(c Change, regranted bool) int {
	o, goes := c.Object(), c.After == nil
	switch {
	case o.Kind == KindIndex && goes:
		return 4
	case o.Kind == KindIndex:
		return 2
	case goes && !(c.DropFirst && isRuntime(o)), o.Kind == KindPrivilege && regranted:
		return 3
	case holdsData(o.Kind), o.Kind == KindPrivilege:
		return 1
	case isRuntime(o):
		return 0
	}
	return 3
}

// writeStep renders the files of each part, in the chain of states from that of h.
func writeStep(h *History, parts []part, opt NextOptions) ([]File, error) {
	opt.path = quote.Idents(opt.SearchPath)
	if opt.pathBefore = h.path; len(h.files) == 0 {
		opt.pathBefore = opt.path
	}
	sums, last, state := maps.Clone(h.sums), h.last, h.State()
	for i := range parts {
		version, err := nextVersion(h.tool, last, opt)
		if err != nil {
			return nil, err
		}
		p := &parts[i]
		for _, c := range p.changes { // as replay does for files that are written
			if c.Before != nil {
				delete(sums, c.Before.ID())
			}
			if c.After != nil {
				sums[c.After.ID()] = sumOf(c.After, c.sum)
			}
		}
		p.tool, p.opt, p.place = h.tool, opt, fmt.Sprintf("part %d of %d", i+1, len(parts))
		name := fmt.Sprintf("%s%0*d%s%s%s", h.tool.prefix, h.width, version, h.tool.separator, p.middle, h.tool.suffix)
		p.Migration = Migration{Name: name, Version: version, State: stateOf(sums), After: state}
		state, last = p.State, version
	}
	files, _ := parallel.Each(parts, func(p part) ([]File, error) { return p.files(), nil })
	return slices.Concat(files...), nil
}

func nextVersion(l tool, last int64, opt NextOptions) (int64, error) {
	if opt.Version == nil {
		return last + 1, nil
	}
	version := opt.Version(last)
	if version <= last {
		return 0, fmt.Errorf("numbering migrations: %d does not come after %d", version, last)
	}
	if l.gapless && version != last+1 {
		return 0, fmt.Errorf("numbering migrations: %s wants %d after %d, not %d", l.format, last+1, last, version)
	}
	return version, nil
}

// check refuses what could not be read back, what a migration tool would read differently, and to change what holds data
// or is used by columns: replacing a table or a type is never a matter of running its definition again. An upgrade that
// ran has run.
func check(l tool, c Change) (errs []error) {
	o := c.Object()
	texts := []string{o.SQL, o.Drop}
	if c.After == nil { // what was read
		texts = nil
	}
	for _, text := range texts {
		message, hint := checkText(text), ""
		if message == "" {
			message, hint = l.refusal(text, o.Kind == KindIndex), fmt.Sprintf("Write it in another way; the files are for %s.", l.format)
		}
		if message != "" {
			errs = append(errs, &ObjectError{Kind: ErrText, Object: *o, Message: message, Hint: hint})
		}
	}
	if c.Before != nil && (o.Kind == KindTable || o.Kind == KindType || o.Kind == KindUpgrade) {
		what := "differs from what the migrations install"
		if c.After == nil {
			what = "is no longer wanted"
		}
		errs = append(errs, &ObjectError{
			Kind: ErrUpgrade, Object: *o, Message: what + ": needs an upgrade migration",
			Hint: "Use the pgretain version that wrote the migrations, or one that brings the upgrade. " +
				"To remove everything, run \"pgretain migrate down --all\".",
		})
	}
	return errs
}

// checkText says what is wrong with a text of an object, "" when nothing is.
func checkText(text string) string {
	_, marked, found := strings.Cut("\n"+text, "\n"+ourPrefix)
	switch {
	case text == "":
	case !strings.HasSuffix(text, "\n") || !utf8.ValidString(text) || strings.ContainsAny(text, "\r\x00"):
		return "text is not UTF-8 with LF line ends, a last one included"
	case found:
		line, _, _ := strings.Cut(marked, "\n")
		return fmt.Sprintf("line %q would be a marker of ours", ourPrefix+line)
	}
	return ""
}

const namesHint = "Keep install.schema and install.roles as they were. To live under other names, undo everything with " +
	"\"pgretain migrate down --all\" before the file changes, and generate into an empty directory: the run log goes with the schema."

var grantees = regexp.MustCompile(`(?m)^GRANT .* TO (.*);$`)

// checkInstall refuses other names of schema and roles than those that the directory installs: tables,
// log and functions are there under the old ones, and belong to them. It is said at the "install" of the file.
func checkInstall(h *History, wanted []Object, roles policy.Roles) error {
	before := installNames(h.Objects(), h.roles)
	after := installNames(wanted, map[As]string{AsOwner: roles.Owner, AsRunner: roles.Runner})
	var differ []string
	for _, what := range slices.Sorted(maps.Keys(before)) {
		if now, both := after[what]; both && now != before[what] {
			message := fmt.Sprintf("%s %q in the migrations, %q in the policy file", what, before[what], now)
			differ = append(differ, strings.ReplaceAll(message, `""`, "roles: none"))
		}
	}
	if before["schema"] == "" || after["schema"] == "" || len(differ) == 0 { // nothing of the runtime, before or after
		return nil
	}
	e := &ObjectError{Kind: ErrInstall, Object: Object{Kind: KindInstall, Name: "install"},
		Message: strings.Join(differ, "; "), Hint: namesHint}
	if i := slices.IndexFunc(wanted, func(o Object) bool { return o.Kind == KindInstall }); i >= 0 {
		e.Object = wanted[i]
	}
	return e
}

// installNames are the names of schema and roles, where objects tell them; owner and runner are "" with "roles: none".
func installNames(objects []Object, roles map[As]string) map[string]string {
	names := map[string]string{"schema": installSchema(objects)}
	for _, o := range objects {
		if role, known := roles[o.As]; known && o.As != AsMigrator {
			names[string(o.As)] = role
		}
		if o.Kind != KindTable {
			continue
		}
		// Operator and viewer own nothing: they may look at the runtime's tables.
		if to := grantees.FindStringSubmatch(o.SQL); to != nil {
			names["readers"] = to[1]
		}
	}
	return names
}

// installSchema is where the runtime's tables are.
func installSchema(objects []Object) string {
	for _, o := range objects {
		if o.Kind == KindTable {
			schema, _, _ := strings.Cut(o.Name, ".")
			return schema
		}
	}
	return ""
}
