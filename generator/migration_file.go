package generator

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"pgretain/internal/lists"
	"pgretain/internal/quote"
	"pgretain/policy"
	sqlfiles "pgretain/sql"
)

// File is one migration to be written. Name has no directory. Text has LF line ends.
type File struct{ Name, Text string }

// These are the lines around objects. The first two belong to goose. A mark stands above each
// object. The text of an object ends at the next line that begins with ourPrefix, or where the role
// is switched. The lines between endMark and the next mark belong to no object: they set the search
// path or the role.
const (
	beginLine   = "-- +goose StatementBegin\n"
	endLine     = "-- +goose StatementEnd\n"
	nextLine    = "-- next\n"
	endMark     = "-- pgretain: end"
	runtimeMark = "-- pgretain: put runtime" // above several objects of the runtime, in files of earlier versions
	ourPrefix   = "-- pgretain:"
	removalLine = "-- pgretain: removal "
	partsLine   = "-- pgretain: parts "
	frameMark   = "-- pgretain: file "
)

// action is one object with its mark. It either creates the object with its SQL, or drops it with
// its Drop. removal is the statement that will drop a created object, if the Down part does not
// contain it.
type action struct {
	object  Object
	drops   bool
	removal *string

	group, place int // order of actions when a file is written
}

func objectsOf(actions []action) []Object {
	return lists.Map(actions, func(a action) Object { return a.object })
}

// text returns the statements of the action, or a comment if there are none.
func (a action) text() (text string, comment bool) {
	switch {
	case !a.drops:
		return a.object.SQL, false
	case a.object.Drop != "":
		return a.object.Drop, false
	case storesData(a.object.Kind):
		return fmt.Sprintf("-- The %s stays, with its data.\n", a.object.Kind), true
	}
	return "-- Nothing to do.\n", true
}

// mark returns the lines above an object: the action, the kind and the name, and the role unless it
// is the default one. Further lines may contain the removal, and where the parts of its SQL are.
// The parameter "old" leaves out the latter. reader.open parses the mark.
func (a action) mark(old bool) string {
	o, verb := a.object, "put"
	if a.drops {
		verb = "drop"
	}
	text := fmt.Sprintf("%s %s %s %s", ourPrefix, verb, o.Kind, quoteName(o.Name))
	if o.As != defaultRole(o.Kind) {
		text += " " + string(o.As)
	}
	if a.removal != nil {
		text += "\n" + removalLine + quoteName(*a.removal)
	}
	text += "\n"
	if !a.drops && !old {
		text += o.partsMark()
	}
	return text
}

// part is the changes of one file, in the order of execution.
type part struct {
	Migration
	tool          tool
	opt           NextOptions
	place         string // number of the part, and how many there are
	middle        string // part of the file name
	what          string // description in the head comment
	contents      string // chapters of the runtime, for the first file
	runtime       bool
	noTransaction bool
	lockTimeout   bool
	changes       []Change
	first         bool // before it, nothing is installed
	uninstall     bool // it removes everything at once
	frame         frame
}

// files returns the files of the part: Up and Down, in one file or in two.
func (p part) files() []File {
	undone := slices.DeleteFunc(slices.Clone(p.changes), Change.partitions)
	up, down := orderedActions(p.changes), orderedActions(lists.Map(undone, Change.reversed))
	first := p.first && isRuntime(p.changes[0].Object())
	if first && p.opt.home != "" {
		down = []action{p.dropRuntime()}
	} else if p.uninstall {
		up = []action{p.removeAll()}
	}
	return p.render(up, down, first)
}

// render returns the files of Up and Down. The first file has a table of contents.
func (p part) render(upActions, downActions []action, first bool) []File {
	p.frame = p.frameOf(upActions, downActions, first)
	up, back := p.write(upActions, p.frame.Path, first, false), p.write(downActions, p.frame.PathDown, false, true)
	if first {
		for range 2 { // first count the lines, then write their numbers
			p.contents = contents(p.renderFiles(up, back)[0].Text)
		}
	}
	return p.renderFiles(up, back)
}

// Prepare returns the statements that prepare a database for an install. They create the schema,
// and for a superuser also the roles. They are for one transaction, and can be repeated.
func Prepare(install policy.Install) string { return prepare(install.Schema, install.Roles) }

func prepare(schema string, roles policy.Roles) string {
	data := schemaData{Schema: sqlText(quote.Ident(schema)), Mark: literal(sqlfiles.SchemaMark),
		Worker: literal(roles.Worker)}
	if !roles.None {
		data.Roles, data.Owner = textArray(roles.All()), sqlText(quote.Ident(roles.Owner))
	}
	return execute("schema.sql.tmpl", data)
}

// schemaData is the data of the template "schema". Roles and Owner are "" with "roles: none".
type schemaData struct {
	Schema       sqlText
	Mark, Worker literal
	Roles, Owner sqlText
}

// framed returns statements with the lines that the tool needs around them.
func (p part) framed(statements string) string {
	if p.tool.framed {
		return beginLine + statements + endLine
	}
	return statements
}

// renderFiles returns the files of Up and Down with the lines that the tool needs around them.
func (p part) renderFiles(up, down string) []File {
	forward := func(back string) string {
		return fmt.Sprintf("-- %s\n%s-- + new, ~ changed, - removed; %s restores what was there before:\n",
			p.what, p.contents, back)
	}
	if !p.tool.separate() {
		return p.file(p.Name, forward(p.tool.back), up, down)
	}
	name := p.tool.downName(p.Name)
	backward := "-- The way back of " + p.Name + ". Removes what was new (+) there, restores what was changed (~) " +
		"or removed (-):\n"
	return append(p.file(p.Name, forward(name), up, ""), p.file(name, backward, down, "")...)
}

// file returns one file, and its configuration file if the tool needs one. The first two lines mark
// the file as generated, contain its state and reveal later edits.
func (p part) file(name, intro, up, down string) []File {
	head := p.head(intro)
	if p.tool.format == Flyway {
		head += flywayHead(name, head+up, p.noTransaction)
	}
	escaped := func(text string) sqlText { return sqlText(p.tool.escape.Replace(text)) }
	body := execute(string(p.tool.format)+" migration",
		fileData{escaped(head), escaped(up), escaped(down), !p.noTransaction})
	text := fmt.Sprintf("%s\n-- pgretain: state %s after %s sum %s\n%s", firstLine, p.State, p.After, Hash(body), body)
	if configuration := p.tool.configuration(name, text); configuration != "" {
		return []File{{name, text}, {name + ".conf", configuration}}
	}
	return []File{{name, text}}
}

// fileData is the data of the template of a file.
type fileData struct {
	Head, Up, Down sqlText
	Transaction    bool
}

// head returns the comment that tells a reviewer what the file does, with one line per object. New
// objects of the runtime, and all that are removed together, are counted.
func (p part) head(intro string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- pgretain: %s\n", p.place)
	if p.tool.format != Goose {
		fmt.Fprintf(&b, "-- pgretain: format %s\n", p.tool.format)
	}
	if !p.opt.old {
		b.WriteString(p.frame.mark())
	}
	b.WriteString(intro)
	counted, others := map[string]int{}, strings.Builder{}
	for _, c := range p.changes {
		if isRuntime(c.Object()) && (c.Before == nil || p.uninstall) {
			counted[c.Sign()+" "+string(c.Object().Kind)]++
		} else {
			others.WriteString(c.line() + "\n")
		}
	}
	for _, kind := range kinds {
		for _, sign := range []string{"+", "-"} {
			if n := counted[sign+" "+string(kind)]; n > 0 {
				fmt.Fprintf(&b, "--   %s %s: %d\n", sign, kind, n)
			}
		}
	}
	return b.String() + others.String()
}

// line returns the line of the head that says how an object changes.
func (c Change) line() string {
	return fmt.Sprintf("--   %s %s %s%s", c.Sign(), c.Object().Kind, quoteName(c.Object().Name), c.Words())
}

// runtimeDrop is the data of the template "runtime_drop". Owners is "" with "roles: none".
type runtimeDrop struct {
	Schema                    literal
	Refuse, Relations, Owners sqlText
}

// dropRuntime returns the action that removes the runtime.
func (p part) dropRuntime() action {
	home, roles := p.opt.home, p.opt.Roles
	var relations []string
	for _, c := range p.changes {
		if c.After == nil { // the file was changed; its checksum is checked elsewhere
			continue
		}
		if k := c.After.Kind; k == KindTable || k == KindView || k == KindType {
			relations = append(relations, strings.TrimPrefix(c.After.Name, home+"."))
		}
	}
	data := runtimeDrop{Schema: literal(home), Refuse: sqlText(home + "._refuse_down()"),
		Relations: textArray(relations)}
	if !roles.None {
		data.Owners = textArray([]string{roles.Owner, roles.Worker, roles.Runner})
	}
	whole := Object{Kind: KindRuntime, Name: home, As: AsOwner, Drop: object("runtime_drop", data)}
	return action{drops: true, object: whole}
}

// removeAll returns the action that removes everything. The runtime is that of the part's changes.
func (p part) removeAll() action {
	runtime := lists.Map(p.changes, func(c Change) Object { return *c.Object() })
	return action{drops: true, object: removal(runtime, p.opt.home, p.opt.Roles)}
}

// ahead maps a kind to a number that is subtracted from the position of its objects, so that they
// come before functions. Functions name these objects, so their owner must be able to reach them.
// The numbers are greater than any number of objects.
var ahead = map[Kind]int{KindColumn: 2 << 30, KindArchive: 2 << 30, KindPrivilege: 1 << 30}

// orderedActions returns the actions of an Up part, or of a Down part, in a safe order. First, jobs
// are unscheduled. Then objects that cannot be replaced are dropped, latest first. Then upgrades of
// tables are reverted, and then new objects are created. Unwanted objects are dropped last.
func orderedActions(changes []Change) (list []action) {
	const unscheduled, dropped, downgraded, put, removed = 0, 1, 2, 3, 4
	// Together with the runtime, everything is created in the order of kinds.
	whole := slices.ContainsFunc(changes, func(c Change) bool { return c.After != nil && c.After.Kind == KindTable })
	for _, c := range changes {
		if c.After != nil {
			a := action{object: *c.After, group: put, place: c.AfterIndex}
			if !whole {
				a.place -= ahead[c.After.Kind]
			}
			if c.sum != "" && (c.Before == nil && c.Keep || c.Before != nil &&
				(c.DropFirst || c.Before.Drop != c.After.Drop)) {
				a.removal = &c.After.Drop // the Down part does not contain it
			}
			list = append(list, a)
		}
		group := removed
		switch {
		case c.Before == nil:
			continue
		case c.After == nil && c.Before.Kind == KindCron:
			group = unscheduled
		case c.DropFirst:
			group = dropped
		case c.After != nil:
			continue
		case c.Before.Kind == KindUpgrade:
			group = downgraded
		}
		a := action{drops: true, object: *c.Before, group: group, place: -c.BeforeIndex}
		if c.Keep {
			a.object.Drop = ""
		}
		list = append(list, a)
	}
	slices.SortStableFunc(list, func(a, b action) int { return cmp.Or(a.group-b.group, a.place-b.place) })
	return list
}

// write returns the text of Up, or of Down if back is set, with its search path. Consecutive
// objects of one role stand between two switches of the role. For goose, each object is framed as
// one statement, so an error shows the text of one object and not of the whole file. The server
// accepts several statements in a query without parameters.
func (p part) write(actions []action, path string, chapters, back bool) string {
	var b strings.Builder
	write := func(text string) { b.WriteString(text) }
	restores := path != "" || !p.noTransaction
	if restores {
		schema := p.opt.home
		if p.runtime || p.uninstall { // the runtime may not exist, or be an older one
			schema = ""
		}
		begin := execute("begin.sql.tmpl", transaction{!p.noTransaction, sqlText(schema)})
		if schema == "" {
			begin = p.framed(begin)
		}
		write(begin)
	}
	if chapters && p.opt.Schema != "" || back && p.uninstall {
		write(p.framed(prepare(p.opt.home, p.opt.Roles)) + "\n")
	}
	write(p.settings(path))
	if back && slices.ContainsFunc(actions, func(a action) bool { return !a.drops && isValidated(a.object.Kind) }) {
		write(execute("restore.sql.tmpl", nil))
	}
	checked := p.opt.home == ""
	if !checked && !p.uninstall && slices.ContainsFunc(actions, action.evaluates) {
		checked = true
		write(p.refuseUntrusted())
	}
	current, plain, chapter := "", false, ""
	for _, a := range actions {
		if chapters && a.object.Chapter != "" && a.object.Chapter != chapter {
			chapter = a.object.Chapter
			write(heading(chapter))
		}
		if role := p.roleOf(a.object); role != current {
			current = role
			write(switchRole(role))
		}
		if !checked && a.evaluates() { // the file has created the function that this calls
			checked = true
			write(endMark + "\n" + p.refuseUntrusted())
		}
		before := plain
		if plain = p.opt.old && a.plain(); !plain {
			write(a.mark(p.opt.old))
		} else if !before {
			write(runtimeMark + "\n")
		}
		text, comment := a.text()
		if p.tool.framed && !comment {
			text = strings.Join(lists.Map(between.Split(text, -1), p.framed), nextLine)
		}
		write(text)
	}
	write(endMark + "\n")
	if current != "" { // the tool records its version next, which the owner is not allowed to do
		write(switchRole(""))
	}
	appliesPrivileges := func(a action) bool { return !a.drops && slices.Contains(kindsWithPrivileges, a.object.Kind) }
	if !p.noTransaction && p.opt.home != "" && slices.ContainsFunc(actions, appliesPrivileges) {
		write(execute("close.sql.tmpl", transaction{Schema: sqlText(p.opt.home)}))
	}
	if removes := slices.ContainsFunc(actions, func(a action) bool { return a.object.Kind == KindRuntime }); !removes &&
		!chapters && p.opt.home != "" {
		write(p.recordState(back))
	}
	if restores { // the tool may look up its own table without a schema
		write(execute("end.sql.tmpl", transaction{Transaction: !p.noTransaction}))
	}
	return b.String()
}

// transaction is the data of the templates "begin", "close" and "end". Transaction says whether the
// tool executes the file in a transaction.
type transaction struct {
	Transaction bool
	Schema      sqlText
}

// evaluates reports whether the server executes code of the application to create the object.
func (a action) evaluates() bool {
	return !a.drops && (a.object.Kind == KindIndex || a.object.Kind == KindColumn)
}

// frameOf returns the description of what the file contains besides its objects.
func (p part) frameOf(up, down []action, first bool) frame {
	f := frame{Path: searchPath(up, p.opt.path), PathDown: searchPath(down, p.opt.pathBefore),
		MakeSchema: first && p.opt.Schema != ""}
	if !p.opt.Roles.None {
		f.Owner, f.Runner = p.opt.Roles.Owner, p.opt.Roles.Runner
	}
	if p.opt.home != "" && slices.ContainsFunc(slices.Concat(up, down), action.evaluates) {
		system := func(name string) bool { return strings.HasPrefix(name, "pg_") }
		f.Checks = &checks{slices.DeleteFunc(slices.Clone(p.opt.SearchPath), system), names(p.opt.Trust)}
	}
	return f
}

// searchPath returns the search path of Up or Down; path if an object can contain an expression of
// a policy.
func searchPath(actions []action, path string) string {
	if path != "" && !slices.ContainsFunc(actions, func(a action) bool { return !a.drops && !isRuntime(&a.object) }) {
		return ownPath
	}
	return path
}

// refuseUntrusted returns the call that checks the owners of schemas, before a statement executes
// code of theirs.
func (p part) refuseUntrusted() string {
	return execute("refuse_untrusted.sql.tmpl", untrusted{sqlText(p.opt.home), textArray(p.frame.Checks.Schemas),
		textArray(p.frame.Checks.Trust)})
}

// untrusted is the data of the template "refuse_untrusted".
type untrusted struct{ Schema, Schemas, Trust sqlText }

// recordedState is the data of the template "record_state".
type recordedState struct {
	Schema sqlText
	State  literal
}

// recordState returns the statement that records the state after Up, or after Down if back is set.
// The file that installs the runtime has no row to record it in.
func (p part) recordState(back bool) string {
	state := p.State
	if back {
		state = p.After
	}
	return execute("record_state.sql.tmpl", recordedState{sqlText(p.opt.home), literal(state)})
}

// isValidated reports whether the runtime refuses an object of this kind that could not run.
func isValidated(kind Kind) bool { return kind == KindPolicy || kind == KindEach }

// kindsWithPrivileges are the kinds whose privileges retention._apply_privileges() sets. The call
// of this function is the last statement of Up or Down. No session sees the objects before the
// commit. An archive is a table of the application and gets no privileges from it.
var kindsWithPrivileges = []Kind{
	KindType, KindTable, KindUpgrade, KindFunction, KindProcedure, KindView, KindPolicy, KindEach,
}

// ownPath is the search path for texts that contain no expression of a policy: the runtime, and
// files that only drop.
const ownPath = "pg_catalog, pg_temp"

// settings returns the statements that set the search path and the lock timeout.
func (p part) settings(path string) (text string) {
	set := "SET LOCAL "
	if p.noTransaction {
		set = "SET "
	}
	if p.lockTimeout {
		text = set + "lock_timeout = '10s';\n"
	}
	if path != "" {
		text += set + "search_path = " + path + ";\n"
	}
	return text
}

// roleOf returns the role that creates or drops an object; "" for the migrating role.
func (p part) roleOf(o Object) string {
	switch {
	case p.opt.Roles.None || p.noTransaction || o.As == AsMigrator:
		return ""
	case o.As == AsRunner:
		return p.opt.Roles.Runner
	}
	return p.opt.Roles.Owner
}

// switchRole returns the statement that switches to another role; "" means the migrating role, the
// one that was current before the file. The session's user may do that, whichever role is current.
func switchRole(to string) string {
	if to == "" {
		return foundRole()
	}
	return "SET LOCAL ROLE " + quote.Ident(to) + ";\n"
}

// foundRole returns the statement that switches back to the role that "begin.sql.tmpl" has found.
var foundRole = sync.OnceValue(func() string { return execute("found_role.sql.tmpl", nil) })

// between matches lines that are exactly nextLine.
var between = regexp.MustCompile(`(?m)^` + nextLine)
