package generator

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/quote"
	"pgretain/policy"
)

// render writes the files of one part: head, way up, way down. Down undoes Up in reverse.
func render(l tool, m Migration, p part, place string, opt NextOptions) ([]File, error) {
	up, upErr := writeSection(l, p, ups(p.changes), opt.path, opt)
	down, downErr := writeSection(l, p, downs(p.changes), opt.pathBefore, opt)
	if err := errors.Join(upErr, downErr); err != nil {
		return nil, err
	}
	if m.After == none && l.format != Goose && opt.Schema != "" && isRuntime(p.changes[0].object()) {
		up = firstSchema(opt) + up
	}
	return l.frame(l, m, p, place, ways{up, down}), nil
}

// firstSchema makes the runtime's schema where it is not there.
func firstSchema(opt NextOptions) string {
	owner := ""
	if !opt.Roles.None {
		owner = quote.Ident(opt.Roles.Owner)
	}
	data := map[string]string{"Literal": quote.Literal(quote.Ident(opt.Schema)), "Schema": quote.Ident(opt.Schema), "Owner": owner}
	return execute("schema.sql.tmpl", data) + "\n"
}

// sealed puts the two lines before a body that mark a file as ours, place it in the chain of states
// and show an edit by hand.
func sealed(m Migration, body string) string {
	return fmt.Sprintf("%s\n-- pgretain: state %s after %s sum %s\n%s", firstLine, m.State, m.After, Hash(body), body)
}

// head tells a reviewer what the file does, one line an object.
func (l tool) head(p part, place, intro string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- pgretain: %s\n", place)
	if l.format != Goose {
		fmt.Fprintf(&b, "-- pgretain: format %s\n", l.format)
	}
	fmt.Fprintf(&b, "--\n%s", intro)
	for _, c := range p.changes {
		fmt.Fprintf(&b, "--   %s %s %s\n", c.sign(), c.object().Kind, quoteName(c.object().Name))
	}
	return b.String()
}

// forward introduces the objects of a file that goes up; back is what restores them.
func (p part) forward(back string) string {
	text := fmt.Sprintf("-- %s\n-- + new, ~ replaced, - removed; %s restores what was there before:\n", p.what, back)
	if slices.ContainsFunc(p.changes, func(c change) bool { return c.sign() == "!" }) {
		text += "-- ! dropped and created anew, since CREATE OR REPLACE cannot make one of the other, or since it\n-- depends on such an object:\n"
	}
	return text
}

// backward introduces the objects of a file of its own that takes another one back.
func (p part) backward(name string) string {
	return fmt.Sprintf("-- The way back of %s. Removes what was new (+) there, restores what was replaced (~, !) or removed (-):\n", name)
}

// sign marks a change in the head.
func (c change) sign() string {
	switch {
	case c.before == nil:
		return "+"
	case c.after == nil:
		return "-"
	case c.dropUp || c.dropDown:
		return "!"
	}
	return "~"
}

// ups are the blocks of an Up part: jobs are unscheduled before anything else changes, then what
// cannot be replaced goes, latest first, and tables of the runtime lose what an upgrade gave them; what
// is new comes; what is no longer wanted goes last.
func ups(changes []change) []action {
	var unscheduled, dropped, downgraded, put, removed []placed
	for _, c := range changes {
		switch {
		case c.after != nil:
			put = append(put, placed{c.is - ahead[c.after.Kind], c.put()})
			if c.dropUp {
				dropped = append(dropped, placed{-c.was, c.drop(*c.before)})
			}
		case c.before.Kind == KindCron:
			unscheduled = append(unscheduled, placed{-c.was, c.drop(*c.before)})
		case c.dropUp:
			dropped = append(dropped, placed{-c.was, c.drop(*c.before)})
		case c.before.Kind == KindUpgrade:
			downgraded = append(downgraded, placed{-c.was, c.drop(*c.before)})
		default:
			removed = append(removed, placed{-c.was, c.drop(*c.before)})
		}
	}
	var actions []action
	for _, group := range [][]placed{unscheduled, dropped, downgraded, put, removed} {
		slices.SortStableFunc(group, func(a, b placed) int { return a.place - b.place })
		for _, p := range group {
			actions = append(actions, p.action)
		}
	}
	return actions
}

// ahead is how far ahead of functions a kind comes: they name tables, which their owner must be able to
// reach. There are never as many objects.
var ahead = map[Kind]int{KindColumn: 2 << 30, KindArchive: 2 << 30, KindPrivilege: 1 << 30}

// placed is an action and its place among others.
type placed struct {
	place  int
	action action
}

// downs are the blocks of a Down part: it goes back to what was there in the same order of safety.
func downs(changes []change) []action {
	back := make([]change, len(changes))
	for i, c := range changes {
		back[i] = c.back()
	}
	actions := ups(back)
	for i := range actions {
		actions[i].removal = nil
	}
	return actions
}

// put creates or replaces. How the object is removed is noted where the Down part does not say it.
func (c change) put() action {
	a := action{verb: verbPut, object: *c.after}
	if (c.before == nil && c.stays) || c.dropUp || (c.before != nil && c.before.Drop != c.after.Drop) {
		a.removal = &c.after.Drop
	}
	return a
}

// drop removes o, or says why it stays.
func (c change) drop(o Object) action {
	switch {
	case c.stays:
		o.Drop = ""
		return action{verb: verbDrop, object: o, note: fmt.Sprintf("-- The %s stays, with its data.", o.Kind)}
	case o.Drop == "":
		return action{verb: verbDrop, object: o, note: "-- Nothing to do."}
	}
	return action{verb: verbDrop, object: o}
}

// writeSection writes the blocks of one way, consecutive ones of a role inside that role.
func writeSection(l tool, p part, actions []action, path string, opt NextOptions) (string, error) {
	var b strings.Builder
	writeSettings(&b, p, path)
	before, after := holdBack(l, p, actions, opt)
	b.WriteString(before)
	current := ""
	for _, a := range actions {
		role, err := roleOf(a.object, p, opt.Roles)
		if err != nil {
			return "", err
		}
		if role != current {
			b.WriteString(switchRole(current, role))
			current = role
		}
		b.WriteString("\n" + a.block(l, p.noTransaction))
	}
	b.WriteString(switchRole(current, "") + after)
	if p.noTransaction && path != "" {
		b.WriteString("\nRESET search_path;\n")
	}
	return b.String(), nil
}

// writeSettings pins what names mean, and how long a table may be waited for.
func writeSettings(b *strings.Builder, p part, path string) {
	set := "SET LOCAL"
	if p.noTransaction {
		set = "SET"
	}
	if p.lockTimeout {
		b.WriteString(set + " lock_timeout = '10s';\n")
	}
	if path != "" {
		b.WriteString(set + " search_path = " + path + ";\n")
	}
}

// pathList is a search path as SET takes it.
func pathList(names []string) string {
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = quote.Ident(name)
	}
	return strings.Join(parts, ", ")
}

// roleOf is the role that executes a block, "" for the migrating role.
func roleOf(o Object, p part, roles policy.Roles) (string, error) {
	if roles.None || p.noTransaction || o.As == AsMigrator {
		return "", nil
	}
	role := roles.Owner
	if o.As == AsRunner {
		role = roles.Runner
	}
	// goose ends a statement at a line's end and takes "--" for a comment, even in quotes.
	if role == "" || strings.ContainsAny(role, "\r\n") || strings.Contains(role, "--") {
		return "", &ObjectError{
			Kind: ErrText, Object: o, Message: fmt.Sprintf("role name %q cannot be used in a migration", role),
			Hint: "Name a role without line breaks and \"--\" under install.roles.",
		}
	}
	return role, nil
}

// switchRole leaves one role and enters the next. The role is always reset before the tool writes
// its version: the owner has no right to do that.
func switchRole(from, to string) string {
	text := ""
	if from != "" {
		text += "\nRESET ROLE;\n"
	}
	if to != "" {
		text += "\nSET LOCAL ROLE " + quote.Ident(to) + ";\n"
	}
	return text
}

// block writes one object between its markers.
func (a action) block(l tool, separately bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "-- pgretain: %s %s %s %s", a.verb, a.object.Kind, quoteName(a.object.Name), a.object.As)
	if a.verb == verbPut {
		b.WriteString(" " + a.object.Hash())
	}
	b.WriteString("\n")
	if a.removal != nil {
		b.WriteString(removalLine + quoteName(*a.removal) + "\n")
	}
	b.WriteString(a.body(l, separately))
	b.WriteString(blockEnd + "\n")
	return b.String()
}

// body is the text of a block. Where statements are framed, it is one of them or, without a
// transaction, several; elsewhere the tool finds their ends by itself.
func (a action) body(l tool, separately bool) string {
	if a.text() == "" {
		return a.note + "\n"
	}
	if !l.framed {
		return a.text()
	}
	parts := []string{a.text()}
	if separately {
		parts = statements(a.text())
	}
	for i, statement := range parts {
		parts[i] = beginLine + "\n" + statement + endLine + "\n"
	}
	return strings.Join(parts, nextLine+"\n")
}

// statements splits a text at the lines that are exactly "-- next".
func statements(text string) []string {
	var parts []string
	var current strings.Builder
	for line := range strings.Lines(text) {
		if line == nextLine+"\n" {
			parts = append(parts, current.String())
			current.Reset()
			continue
		}
		current.WriteString(line)
	}
	return append(parts, current.String())
}
