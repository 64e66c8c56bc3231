package generator

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"pgretain/internal/parallel"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// Change is what becomes of an object: there is no Before of a new one, and no After of one that goes.
type Change struct {
	Before, After *Object
	// stays marks a column or an archive that no step removes: it was there before, or holds data now.
	stays bool
	// first says that what is there goes before anything is created, in Up and in Down.
	first bool
	// was and is are the places of Before and After in the order of creation.
	was, is int
	sum     string // the hash of After; "" on the way back
}

// Changes tells two lists of objects apart: new and changed ones in the order of after, then those that go, in that of
// before.
func Changes(before, after []Object) []Change {
	return slices.DeleteFunc(pairs(before, after), func(c Change) bool { return !c.differs() })
}

// pairs is Changes with the objects that stay as they are among those of after.
func pairs(before, after []Object) []Change {
	was := make(map[ID]int, len(before))
	for i, o := range before {
		was[o.ID()] = i
	}
	sums, _ := parallel.Each(after, func(o Object) (string, error) { return o.Hash(), nil })
	var list []Change
	for i := range after {
		c := Change{After: &after[i], is: i, sum: sums[i]}
		if at, had := was[after[i].ID()]; had {
			c.Before, c.was = &before[at], at
			delete(was, after[i].ID())
		}
		list = append(list, c)
	}
	for i := range before {
		if _, goes := was[before[i].ID()]; goes {
			list = append(list, Change{Before: &before[i], was: i})
		}
	}
	return list
}

func (c Change) differs() bool { return c.Before == nil || c.After == nil || c.Before.Hash() != c.sum }

// back is the change in Down.
func (c Change) back() Change {
	return Change{Before: c.After, After: c.Before, stays: c.stays, first: c.first, was: c.is, is: c.was}
}

// Object is the later of the two.
func (c Change) Object() *Object { return cmp.Or(c.After, c.Before) }

// Sign is "+" of a new object, "~" of one that changes, "-" of one that goes.
func (c Change) Sign() string {
	switch {
	case c.Before == nil:
		return "+"
	case c.After == nil:
		return "-"
	}
	return "~"
}

// Words say how a policy changes; "" of anything else.
func (c Change) Words() string {
	if c.Sign() != "~" || !hasPage(c.After.Kind) {
		return ""
	}
	return ": " + Differences(c.Before.SQL, c.After.SQL)
}

// OfRuntime says whether the object belongs to the runtime, which has a file of its own.
func (c Change) OfRuntime() bool { return isRuntime(c.Object()) }

// pieces are texts that are joined once: together they can have many megabytes.
type pieces []string

func (p pieces) String() string { return strings.Join(p, "") }

// render writes the files of one part: head, Up, Down.
func render(l tool, p part, opt NextOptions) []File {
	down, first := ups(each(p.changes, Change.back)), p.After == none && isRuntime(p.changes[0].Object())
	if first && opt.home != "" {
		down = []action{dropRuntime(p.changes, opt)}
	}
	up, back := section{ups(p.changes), opt.path, first}.write(l, p, opt), section{down, opt.pathBefore, false}.write(l, p, opt)
	if first && l.format != Goose && opt.Schema != "" {
		up = slices.Insert(up, 0, firstSchema(opt))
	}
	if first {
		for range 2 { // as many lines, then the lines
			p.contents = contents(l.frame(l, p, up, back)[0].Content())
		}
	}
	return l.frame(l, p, up, back)
}

// dropRuntime takes back the file that installs the runtime.
func dropRuntime(changes []Change, opt NextOptions) action {
	var relations []string
	for _, c := range changes {
		if k := c.After.Kind; k == KindTable || k == KindView || k == KindType {
			relations = append(relations, strings.TrimPrefix(c.After.Name, opt.home+"."))
		}
	}
	data := fields{"Schema": literal(opt.home), "Refuse": sqlText(opt.home + "._refuse_down()"), "Relations": textArray(relations), "Owners": nil}
	if !opt.Roles.None {
		data["Owners"] = textArray([]string{opt.Roles.Owner, opt.Roles.Worker, opt.Roles.Runner})
	}
	return action{verb: verbDrop, object: Object{Kind: KindRuntime, Name: opt.home, As: AsOwner, Drop: object("runtime_drop", data)}}
}

// firstSchema makes the runtime's schema where it is not there.
func firstSchema(opt NextOptions) string {
	owner := sqlText("")
	if !opt.Roles.None {
		owner = sqlText(quote.Ident(opt.Roles.Owner))
	}
	return execute("schema.sql.tmpl", fields{"Schema": sqlText(quote.Ident(opt.Schema)), "Owner": owner}) + "\n"
}

// sealed puts the two lines before a body that mark a file as ours, place it in the chain of states
// and show an edit by hand.
func (p part) sealed(body ...pieces) pieces {
	whole := slices.Concat(body...)
	head := fmt.Sprintf("%s\n-- pgretain: state %s after %s sum %s\n", firstLine, p.State, p.After, Hash(whole.String()))
	return slices.Insert(whole, 0, head)
}

// head tells a reviewer what the file does, one line an object; of the runtime the new ones are counted.
func (l tool) head(p part, intro string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- pgretain: %s\n", p.place)
	if l.format != Goose {
		fmt.Fprintf(&b, "-- pgretain: format %s\n", l.format)
	}
	b.WriteString(intro)
	counted := map[Kind]int{}
	for _, c := range p.changes {
		if c.Before == nil && isRuntime(c.After) {
			counted[c.After.Kind]++
		}
	}
	for _, kind := range kinds {
		if n := counted[kind]; n > 0 {
			fmt.Fprintf(&b, "--   + %s: %d\n", kind, n)
		}
	}
	for _, c := range p.changes {
		if c.Before != nil || !isRuntime(c.After) {
			fmt.Fprintf(&b, "--   %s %s %s%s\n", c.Sign(), c.Object().Kind, quoteName(c.Object().Name), c.Words())
		}
	}
	return b.String()
}

// forward introduces the objects of a file that goes up; back is what restores them.
func (p part) forward(back string) string {
	return fmt.Sprintf("-- %s\n%s-- + new, ~ changed, - removed; %s restores what was there before:\n", p.what, p.contents, back)
}

// backward introduces the objects of a file of its own that takes another one back.
func (p part) backward(name string) string {
	return fmt.Sprintf("-- The way back of %s. Removes what was new (+) there, restores what was changed (~) or removed (-):\n", name)
}

// ahead is how far ahead of functions a kind comes: they name tables, which their owner must be able to
// reach. There are never as many objects.
var ahead = map[Kind]int{KindColumn: 2 << 30, KindArchive: 2 << 30, KindPrivilege: 1 << 30}

// ups are the actions of an Up part, and of Down, which goes back in the same order of safety: jobs are unscheduled before anything else changes, then what
// cannot be replaced goes, latest first, and tables of the runtime lose what an upgrade gave them; what
// is new comes; what is no longer wanted goes last.
func ups(changes []Change) []action {
	const unscheduled, dropped, downgraded, put, removed = 0, 1, 2, 3, 4
	type placed struct {
		action
		group, place int
	}
	var list []placed
	for _, c := range changes {
		if c.After != nil {
			list = append(list, placed{c.put(), put, c.is - ahead[c.After.Kind]})
			if !c.first || c.Before == nil {
				continue
			}
		}
		group := removed
		switch {
		case c.After == nil && c.Before.Kind == KindCron:
			group = unscheduled
		case c.first:
			group = dropped
		case c.Before.Kind == KindUpgrade:
			group = downgraded
		}
		list = append(list, placed{c.drop(), group, -c.was})
	}
	slices.SortStableFunc(list, func(a, b placed) int { return cmp.Or(a.group-b.group, a.place-b.place) })
	return each(list, func(p placed) action { return p.action })
}

// put creates or replaces. How the object is removed is noted in Up where the Down part does not say it.
func (c Change) put() action {
	a := action{verb: verbPut, object: *c.After}
	if c.sum != "" && (c.Before == nil && c.stays || c.Before != nil && (c.first || c.Before.Drop != c.After.Drop)) {
		a.removal = &c.After.Drop
	}
	return a
}

// drop removes what was there, or says why it stays.
func (c Change) drop() action {
	a := action{verb: verbDrop, object: *c.Before}
	switch {
	case c.stays:
		a.object.Drop = ""
		a.note = fmt.Sprintf("-- The %s stays, with its data.", a.object.Kind)
	case a.object.Drop == "":
		a.note = "-- Nothing to do."
	}
	return a
}

// section is what Up or Down does, and what names mean there.
type section struct {
	actions  []action
	path     string
	chapters bool // have headings
}

// write writes the objects, consecutive ones of a role inside that role. In a transaction all of them are one
// statement of a tool that frames statements: sent without arguments, it may hold many.
func (s section) write(l tool, p part, opt NextOptions) pieces {
	whole := l.framed && !p.noTransaction
	texts := make(pieces, 0, len(s.actions)*4+8) // an object has four pieces mostly
	if whole {
		texts = append(texts, beginLine, "\n")
	}
	texts = append(texts, settings(p, s.path))
	current, plain, chapter := "", false, ""
	for _, a := range s.actions {
		if s.chapters && a.object.Chapter != "" && a.object.Chapter != chapter {
			chapter = a.object.Chapter
			texts = append(texts, heading(chapter))
		}
		if role := roleOf(a.object, p, opt.Roles); role != current {
			texts = append(texts, switchRole(role))
			current = role
		}
		before := plain
		if plain = a.plain(); !plain {
			texts = a.write(texts, l, p.noTransaction)
			continue
		}
		if !before {
			texts = append(texts, runtimeMark, "\n")
		}
		texts = append(texts, a.text())
	}
	texts = append(texts, endMark, "\n")
	if current != "" { // before the tool writes its version: the owner has no right to do that
		texts = append(texts, switchRole(""))
	}
	if !p.noTransaction && opt.home != "" && slices.ContainsFunc(s.actions, closes) {
		texts = append(texts, execute("close.sql.tmpl", fields{"Schema": sqlText(opt.home)}))
	}
	switch {
	case whole:
		texts = append(texts, endLine, "\n")
	case p.noTransaction && s.path != "":
		texts = append(texts, "\nRESET search_path;\n")
	}
	return texts
}

// closes says whether an action creates something whose privileges retention._close() sees to, the last statement
// of Up or Down: until it commits, nobody sees them. An archive is a table of the application, and has what its tables have.
func closes(a action) bool {
	switch a.object.Kind {
	case KindType, KindTable, KindUpgrade, KindFunction, KindProcedure, KindView, KindPolicy, KindEach:
		return a.verb == verbPut
	}
	return false
}

// settings say what names mean, and how long a table may be waited for.
func settings(p part, path string) string {
	set, text := "SET LOCAL", ""
	if p.noTransaction {
		set = "SET"
	}
	if p.lockTimeout {
		text = set + " lock_timeout = '10s';\n"
	}
	if path != "" {
		text += set + " search_path = " + path + ";\n"
	}
	return text
}

// roleOf is the role that executes an action, "" for the migrating role.
func roleOf(o Object, p part, roles policy.Roles) string {
	switch {
	case roles.None || p.noTransaction || o.As == AsMigrator:
		return ""
	case o.As == AsRunner:
		return roles.Runner
	}
	return roles.Owner
}

// switchRole goes on as another role, "" for the migrating one. The session's user may, whoever it is now.
func switchRole(to string) string {
	if to == "" {
		return "RESET ROLE;\n"
	}
	return "SET LOCAL ROLE " + quote.Ident(to) + ";\n"
}

// write adds one object below its mark.
func (a action) write(to pieces, l tool, separately bool) pieces {
	to = append(to, a.mark(), "\n")
	if a.removal != nil {
		to = append(to, removalLine, quoteName(*a.removal), "\n")
	}
	switch {
	case a.text() == "":
		return append(to, a.note, "\n")
	case !separately || !l.framed:
		return append(to, a.text())
	}
	for i, statement := range statements(a.text()) {
		if i > 0 {
			to = append(to, nextLine, "\n")
		}
		to = append(to, beginLine, "\n", statement, endLine, "\n")
	}
	return to
}

// between are the lines that are exactly nextLine.
var between = regexp.MustCompile(`(?m)^` + nextLine + `\n`)

// statements splits a text at these lines.
func statements(text string) []string { return between.Split(text, -1) }
