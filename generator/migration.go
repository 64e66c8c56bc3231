package generator

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"pgretain/internal/diag"
	"pgretain/internal/parallel"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// These are the reasons why Next refuses to write. An ObjectError wraps one of them.
var (
	ErrInstall = errors.New("installed under other names")
	ErrUpgrade = errors.New("needs an upgrade migration")
	ErrText    = errors.New("text cannot be written into a migration")
)

// ObjectError says which object cannot be in a migration, and why.
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

// Diagnostic returns the error as a diagnostic at the policy or job that wants the object.
func (e *ObjectError) Diagnostic() diag.Diagnostic {
	return diag.Diagnostic{Position: e.Object.Position, Severity: diag.Error, Message: e.Error(), Hint: e.Hint}
}

// NextOptions says how to write the files of a step.
type NextOptions struct {
	// Roles become SET LOCAL ROLE around objects of the owner and of the runner.
	Roles policy.Roles
	// SearchPath is set in every file, unless it is empty. So names in expressions do not depend on
	// the session. The elements are identifiers, in order.
	SearchPath []string
	// Trust are the roles of install.trust. A migration may execute their code in an index or a
	// default.
	Trust []policy.Name
	// Schema is created by the first file, unless it is empty. Tools need this if "pgretain
	// migrate" does not create the schema.
	Schema string
	// Cron is true if the files contain jobs only, for the database that has schema cron.
	Cron bool
	// Label is the middle part of the file names; "retention" if empty.
	Label string
	// Version returns the number of a new file, which must be greater than previous. If the field
	// Version is nil, the new number is previous + 1.
	Version func(previous int64) int64

	path       string // search path of Up
	pathBefore string // search path of Down: that of the step before
	home       string // schema of the runtime; "" if the directory has none
	old        bool   // write files as earlier versions did
}

// Next compares the objects that h installs with the wanted objects. It returns the files of one
// step that makes up the difference; none if there is none. Within a kind, Next keeps the order of
// wanted. The error is an *ObjectError, or several joined.
func Next(h *History, wanted []Object, opt NextOptions) ([]File, error) {
	if err := checkInstall(h, wanted, opt.Roles); err != nil {
		return nil, err
	}
	wanted = PolicyScripts(wanted, opt.Roles)
	opt.home = cmp.Or(installSchema(h.Objects()), installSchema(wanted))
	changes, err := compare(h, wanted)
	if err != nil {
		return nil, err
	}
	return writeStep(h, split(h.tool, changes, opt), opt)
}

// compare returns new and changed objects in the order of wanted, sorted by kind, then removed
// objects, latest first. Privileges are revoked before anything is created, because two objects may
// grant the same one. If tables of the runtime are altered, all views are dropped first and
// re-created. Otherwise they would block the change or keep old columns.
func compare(h *History, wanted []Object) ([]Change, error) {
	wanted = byRank(wanted)
	all := pairs(byRank(h.Objects()), wanted)
	slices.Reverse(all[len(wanted):])
	altered := slices.ContainsFunc(all, func(c Change) bool { return c.Object().Kind == KindUpgrade && c.differs() })
	var changes, views []Change
	var errs []error
	for _, c := range all {
		o := c.Object()
		c.Keep = h.keptData[o.ID()] || c.After == nil && storesData(o.Kind)
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

// waitsForLocks is added to the description of a file whose statements have a lock timeout.
const waitsForLocks = " Waits at most 10 s for a lock."

// emptyParts returns the files of a step in their order, without changes.
func emptyParts(l tool, label string, cron bool) []part {
	parts := []part{
		{middle: "pgretain_runtime", what: "The runtime: tables, functions and procedures that all policies share.",
			runtime: true},
		{middle: label + "_tables", what: "The application's tables: columns and privileges." + waitsForLocks,
			lockTimeout: true},
		{middle: label + "_indexes", what: "Indexes, built without blocking writes. May be run again after a failure.",
			noTransaction: true},
		{middle: label + "_policies", what: "Functions, registry rows and schedule of the policies." + waitsForLocks,
			lockTimeout: true},
		{middle: label + "_drop_indexes", what: "Indexes that no policy needs any more, dropped without blocking " +
			"writes.", noTransaction: true},
		{middle: label + "_uninstall", what: "Removes pgretain: everything that the files before it install." +
			waitsForLocks, lockTimeout: true, uninstall: true},
	}
	if l.inTransaction {
		parts[2].what = "Indexes. While one is built, other sessions cannot write to its table." + waitsForLocks
		parts[4].what = "Indexes that no policy needs any more." + waitsForLocks
		for _, i := range []int{2, 4} {
			parts[i].noTransaction, parts[i].lockTimeout = false, true
		}
	}
	if cron {
		parts[3].middle, parts[3].what = label+"_jobs", "The jobs, in the database where schema cron lives."
	}
	return parts
}

// split distributes changes over the files of a step. Objects that policies need come before the
// objects that use them. Removals come last. Only cron jobs are unscheduled before anything else
// changes.
func split(l tool, changes []Change, opt NextOptions) []part {
	parts := emptyParts(l, cmp.Or(opt.Label, "retention"), opt.Cron)
	regranted := slices.ContainsFunc(changes, func(c Change) bool {
		return c.Object().Kind == KindPrivilege && c.Sign() == "~"
	})
	var unscheduled []Change // these are first in the file, too
	for _, c := range changes {
		i := fileIndex(c, regranted)
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

// fileIndex returns the index of the file in the step that a change belongs to. If any privilege is
// changed, all privileges change in the file of the policies. One object may then revoke a
// privilege that another one grants, together with the functions that need it.
func fileIndex(c Change, regranted bool) int {
	o, removed := c.Object(), c.After == nil
	switch {
	case o.Kind == KindIndex && removed:
		return 4
	case o.Kind == KindIndex:
		return 2
	case removed && !(c.DropFirst && isRuntime(o)), o.Kind == KindPrivilege && regranted:
		return 3
	case storesData(o.Kind), o.Kind == KindPrivilege:
		return 1
	case isRuntime(o):
		return 0
	}
	return 3
}

// writeStep renders the files of each part. Their states continue that of h.
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
		p.first = len(sums) == 0
		for _, c := range p.changes { // replay does the same for files that were read
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

// check refuses objects that Read could not read back, or that a migration tool would execute
// differently. It refuses to replace a table, a type or a column, because executing the new
// definition would not change the existing object. It refuses to change an upgrade that has run.
func check(l tool, c Change) (errs []error) {
	o := c.Object()
	texts := []string{o.SQL, o.Drop}
	if c.After == nil { // a removed object was read from a file
		texts = nil
	}
	for _, text := range texts {
		message, hint := checkText(text), ""
		if message == "" {
			message = l.refusal(text, o.Kind == KindIndex)
			hint = fmt.Sprintf("Write the text in another way. The migrations are for %s.", l.format)
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
			Hint: "Use the pgretain version that wrote the migrations, or one that contains the upgrade. " +
				"To remove everything, run \"pgretain migrate down --all\".",
		})
	}
	return errs
}

// checkText returns what is wrong with a text of an object; "" if nothing is.
func checkText(text string) string {
	_, marked, found := strings.Cut("\n"+text, "\n"+ourPrefix)
	switch {
	case text == "":
	case !strings.HasSuffix(text, "\n") || !utf8.ValidString(text) || strings.ContainsAny(text, "\r\x00"):
		return "text is not UTF-8 with LF line ends, a last one included"
	case found:
		line, _, _ := strings.Cut(marked, "\n")
		return fmt.Sprintf("line %q would be read as a marker of pgretain", ourPrefix+line)
	}
	return ""
}

const namesHint = "Keep install.schema and install.roles as they were. To use other names, run \"pgretain migrate " +
	"down --all\" before you change the file, and generate into an empty directory. The run log is dropped with the " +
	"schema."

// checkInstall refuses names of schema and roles that differ from those in the directory. Tables,
// log and functions exist under the old names. The error is at the "install" of the file.
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
	if before["schema"] == "" || after["schema"] == "" || len(differ) == 0 { // one side has nothing of the runtime
		return nil
	}
	e := &ObjectError{Kind: ErrInstall, Object: Object{Kind: KindInstall, Name: "install"},
		Message: strings.Join(differ, "; "), Hint: namesHint}
	if i := slices.IndexFunc(wanted, func(o Object) bool { return o.Kind == KindInstall }); i >= 0 {
		e.Object = wanted[i]
	}
	return e
}

// installNames returns the names of schema and roles that objects contain. Owner and runner are ""
// with "roles: none".
func installNames(objects []Object, roles map[As]string) map[string]string {
	names := map[string]string{"schema": installSchema(objects)}
	for _, o := range objects {
		if role, known := roles[o.As]; known && o.As != AsMigrator {
			names[string(o.As)] = role
		}
		// Operator and viewer own nothing. Their names are in the GRANT on the runtime's schema.
		if readers := o.Parts[PartReaders]; readers != "" {
			names["roles that may read"] = readers
		}
	}
	return names
}

// installSchema returns the schema of the runtime's tables.
func installSchema(objects []Object) string {
	for _, o := range objects {
		if o.Kind == KindTable {
			schema, _, _ := strings.Cut(o.Name, ".")
			return schema
		}
	}
	return ""
}
