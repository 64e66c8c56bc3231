package generator

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pgretain/internal/quote"
)

// File is one migration to be written: Name without a directory, and its text, with LF line ends.
type File struct{ Name, Text string }

// The lines around objects; the first two are goose's. A mark stands above each object, whose text ends at the next
// line of ours, or where the role is switched for it; what is between endMark and the next mark is no object's, either:
// the search path, and the role's switching.
const (
	beginLine   = "-- +goose StatementBegin\n"
	endLine     = "-- +goose StatementEnd\n"
	nextLine    = "-- next\n"
	endMark     = "-- pgretain: end"
	runtimeMark = "-- pgretain: put runtime" // above several objects of the runtime, each of which tells what it is
	ourPrefix   = "-- pgretain:"
	removalLine = "-- pgretain: removal "
)

// action is one object below its mark, which is put there by its SQL or dropped by its Drop. removal is how an object
// that is put will be dropped, where the Down part does not say so.
type action struct {
	object  Object
	drops   bool
	removal *string

	group, place int // of what is written: its order
}

// text is what is executed, or a comment in its place.
func (a action) text() (text string, comment bool) {
	switch {
	case !a.drops:
		return a.object.SQL, false
	case a.object.Drop != "":
		return a.object.Drop, false
	case holdsData(a.object.Kind):
		return fmt.Sprintf("-- The %s stays, with its data.\n", a.object.Kind), true
	}
	return "-- Nothing to do.\n", true
}

// mark stands above an object: what is done with it, its kind and name, and whose it is where that is not usual; below
// it how the object is dropped. reader.open reads it.
func (a action) mark() string {
	o, verb := a.object, "put"
	if a.drops {
		verb = "drop"
	}
	text := fmt.Sprintf("%s %s %s %s", ourPrefix, verb, o.Kind, quoteName(o.Name))
	if o.As != usually(o.Kind) {
		text += " " + string(o.As)
	}
	if a.removal != nil {
		text += "\n" + removalLine + quoteName(*a.removal)
	}
	return text + "\n"
}

// part is the changes of one file, in the order of execution.
type part struct {
	Migration
	tool          tool
	opt           NextOptions
	place         string // which part of how many
	middle        string // of the file's name
	what          string // for the head comment
	contents      string // of the first file: the chapters of the runtime
	noTransaction bool
	lockTimeout   bool
	changes       []Change
}

// files are those of the part: Up and Down, in one file or in two.
func (p part) files() []File {
	down, first := ups(each(p.changes, Change.back)), p.After == none && isRuntime(p.changes[0].Object())
	if first && p.opt.home != "" {
		down = []action{p.dropRuntime()}
	}
	return p.around(p.write(ups(p.changes), p.opt.path, first), p.write(down, p.opt.pathBefore, false), first)
}

// around puts around Up and Down what the tool wants there. The first file of all begins with its contents, and makes
// the schema where "pgretain migrate" does not.
func (p part) around(up, back string, first bool) []File {
	if first && p.tool.format != Goose && p.opt.Schema != "" {
		owner := sqlText("")
		if !p.opt.Roles.None {
			owner = sqlText(quote.Ident(p.opt.Roles.Owner))
		}
		schema := fields{"Schema": sqlText(quote.Ident(p.opt.Schema)), "Owner": owner}
		up = execute("schema.sql.tmpl", schema) + "\n" + up
	}
	if first {
		for range 2 { // as many lines, then the lines
			p.contents = contents(p.framed(up, back)[0].Text)
		}
	}
	return p.framed(up, back)
}

// framed puts around Up and Down, each from its first setting to its last reset, what the tool wants there.
func (p part) framed(up, down string) []File {
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

// file is one file, and its configuration where the tool needs one. Its first two lines mark it as ours, place it in
// the chain of states and show an edit by hand.
func (p part) file(name, intro, up, down string) []File {
	head := p.head(intro)
	if p.tool.format == Flyway {
		head += flywayHead(name, head+up, p.noTransaction)
	}
	escaped := func(text string) sqlText { return sqlText(p.tool.escape.Replace(text)) }
	body := execute(string(p.tool.format)+" migration",
		fields{"Head": escaped(head), "Up": escaped(up), "Down": escaped(down), "Transaction": !p.noTransaction})
	text := fmt.Sprintf("%s\n-- pgretain: state %s after %s sum %s\n%s", firstLine, p.State, p.After, Hash(body), body)
	if configuration := p.tool.configuration(name, text); configuration != "" {
		return []File{{name, text}, {name + ".conf", configuration}}
	}
	return []File{{name, text}}
}

// head tells a reviewer what the file does, one line an object; of the runtime the new ones are counted.
func (p part) head(intro string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- pgretain: %s\n", p.place)
	if p.tool.format != Goose {
		fmt.Fprintf(&b, "-- pgretain: format %s\n", p.tool.format)
	}
	b.WriteString(intro)
	counted, others := map[Kind]int{}, strings.Builder{}
	for _, c := range p.changes {
		if c.Before == nil && isRuntime(c.After) {
			counted[c.After.Kind]++
		} else {
			others.WriteString(c.line() + "\n")
		}
	}
	for _, kind := range kinds {
		if n := counted[kind]; n > 0 {
			fmt.Fprintf(&b, "--   + %s: %d\n", kind, n)
		}
	}
	return b.String() + others.String()
}

// line says at the head of a file what becomes of an object.
func (c Change) line() string {
	return fmt.Sprintf("--   %s %s %s%s", c.Sign(), c.Object().Kind, quoteName(c.Object().Name), c.Words())
}

// dropRuntime takes back the file that installs the runtime.
func (p part) dropRuntime() action {
	home, roles := p.opt.home, p.opt.Roles
	var relations []string
	for _, c := range p.changes {
		if c.After == nil { // the file was changed; its sum is checked elsewhere
			continue
		}
		if k := c.After.Kind; k == KindTable || k == KindView || k == KindType {
			relations = append(relations, strings.TrimPrefix(c.After.Name, home+"."))
		}
	}
	data := fields{"Schema": literal(home), "Refuse": sqlText(home + "._refuse_down()"),
		"Relations": textArray(relations), "Owners": nil}
	if !roles.None {
		data["Owners"] = textArray([]string{roles.Owner, roles.Worker, roles.Runner})
	}
	whole := Object{Kind: KindRuntime, Name: home, As: AsOwner, Drop: object("runtime_drop", data)}
	return action{drops: true, object: whole}
}

// ahead is how far ahead of functions a kind comes: they name tables, which their owner must be able to
// reach. There are never as many objects.
var ahead = map[Kind]int{KindColumn: 2 << 30, KindArchive: 2 << 30, KindPrivilege: 1 << 30}

// ups are the actions of an Up part, and of Down, which goes back in the same order of safety: jobs are unscheduled
// before anything else changes, then what cannot be replaced goes, latest first, and tables of the runtime lose what an
// upgrade gave them; what is new comes; what is no longer wanted goes last.
func ups(changes []Change) (list []action) {
	const unscheduled, dropped, downgraded, put, removed = 0, 1, 2, 3, 4
	for _, c := range changes {
		if c.After != nil {
			a := action{object: *c.After, group: put, place: c.AfterIndex - ahead[c.After.Kind]}
			if c.sum != "" && (c.Before == nil && c.Keep || c.Before != nil && (c.DropFirst || c.Before.Drop != c.After.Drop)) {
				a.removal = &c.After.Drop // the Down part does not say it
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

// write writes what Up or Down does, with the search path that names have there, consecutive objects of a role inside
// that role. In a transaction all of them are one statement of a tool that frames statements: sent without arguments, it
// may hold many.
func (p part) write(actions []action, path string, chapters bool) string {
	var b strings.Builder
	write := func(text string) { b.WriteString(text) }
	whole := p.tool.framed && !p.noTransaction
	if whole {
		write(beginLine)
	}
	evaluates := func(a action) bool { return !a.drops && (a.object.Kind == KindIndex || a.object.Kind == KindColumn) }
	if path != "" && !slices.ContainsFunc(actions, func(a action) bool { return !a.drops && !isRuntime(&a.object) }) {
		path = ownPath
	}
	write(p.settings(path))
	if p.opt.home != "" && slices.ContainsFunc(actions, evaluates) {
		system := func(name string) bool { return strings.HasPrefix(name, "pg_") }
		schemas := slices.DeleteFunc(slices.Clone(p.opt.SearchPath), system)
		write(execute("refuse_untrusted.sql.tmpl", fields{"Schema": sqlText(p.opt.home), "Schemas": textArray(schemas),
			"Trust": textArray(names(p.opt.Trust))}))
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
		before := plain
		if plain = a.plain(); !plain {
			write(a.mark())
		} else if !before {
			write(runtimeMark + "\n")
		}
		text, comment := a.text()
		if p.noTransaction && p.tool.framed && !comment {
			framed := func(s string) string { return beginLine + s + endLine }
			text = strings.Join(each(between.Split(text, -1), framed), nextLine)
		}
		write(text)
	}
	write(endMark + "\n")
	if current != "" { // before the tool writes its version: the owner has no right to do that
		write(switchRole(""))
	}
	closes := func(a action) bool { return !a.drops && slices.Contains(closed, a.object.Kind) }
	if !p.noTransaction && p.opt.home != "" && slices.ContainsFunc(actions, closes) {
		write(execute("close.sql.tmpl", fields{"Schema": sqlText(p.opt.home)}))
	}
	if path == ownPath && !p.noTransaction { // the tool may look its own table up
		write("SET LOCAL search_path TO DEFAULT;\n")
	}
	if whole {
		write(endLine)
	} else if p.noTransaction && path != "" {
		write("\nRESET search_path;\n")
	}
	return b.String()
}

// closed are the kinds whose privileges retention._apply_privileges() sees to, the last statement of Up or Down: until it commits,
// nobody sees them. An archive is a table of the application, and has what its tables have.
var closed = []Kind{KindType, KindTable, KindUpgrade, KindFunction, KindProcedure, KindView, KindPolicy, KindEach}

// ownPath is where names are looked up by what has no expression of a policy: the runtime, and what only drops.
const ownPath = "pg_catalog, pg_temp"

// settings say what names mean, and how long a table may be waited for.
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

// roleOf is the role that creates or drops an object, "" for the migrating role.
func (p part) roleOf(o Object) string {
	switch {
	case p.opt.Roles.None || p.noTransaction || o.As == AsMigrator:
		return ""
	case o.As == AsRunner:
		return p.opt.Roles.Runner
	}
	return p.opt.Roles.Owner
}

// switchRole goes on as another role, "" for the migrating one. The session's user may, whoever it is now.
func switchRole(to string) string {
	if to == "" {
		return "RESET ROLE;\n"
	}
	return "SET LOCAL ROLE " + quote.Ident(to) + ";\n"
}

// between are the lines that are exactly nextLine.
var between = regexp.MustCompile(`(?m)^` + nextLine)
