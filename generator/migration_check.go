package generator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"pgretain/internal/lists"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// checkText refuses a file that differs from written, the same file rendered again from its
// objects. It reports the first differing byte. So a file can contain only statements and comments
// that this program would write.
func (f *migrationFile) checkText(written []File) error {
	for _, got := range f.texts {
		want := ""
		if i := slices.IndexFunc(written, func(w File) bool { return w.Name == got.Name }); i >= 0 {
			want = written[i].Text
		}
		if got.Text == want {
			continue
		}
		at := headEnd(got.Text)
		if headEnd(want) != at {
			at = 0
		}
		for at < min(len(got.Text), len(want)) && got.Text[at] == want[at] {
			at++
		}
		for at > 0 && at < len(got.Text) && !utf8.RuneStart(got.Text[at]) {
			at--
		}
		before := got.Text[:at]
		start := strings.LastIndex(before, "\n") + 1
		line, _, _ := strings.Cut(got.Text[start:], "\n")
		e := historyError(ErrEdited, fmt.Sprintf("pgretain does not write this line here: %q", shortened(line, 100)),
			got.Name)
		e.Line, e.Column = 1+strings.Count(before, "\n"), 1+utf8.RuneCountInString(before[start:])
		return e
	}
	return nil
}

// headEnd returns the offset after the second line of a file, which has the state and the checksum.
func headEnd(text string) int {
	first, rest, _ := strings.Cut(text, "\n")
	second, _, _ := strings.Cut(rest, "\n")
	return len(first) + len(second) + 2
}

// shortened returns a text, cut to at most the given number of characters.
func shortened(text string, most int) string {
	if characters := []rune(text); len(characters) > most {
		return string(characters[:most]) + "..."
	}
	return text
}

// written renders the files of one migration again. It uses the objects, roles, schemas and trusted
// roles that were read from them, and the state before. A value that is not a name or a text is
// left out, so the result differs from the file.
func (h *History) written(f *migrationFile) []File {
	p := f.kind
	p.Migration, p.tool, p.place = f.Migration, h.tool, fmt.Sprintf("part %d of %d", f.Part, f.parts)
	p.opt = NextOptions{Roles: f.creators(), old: f.old, path: quotedPath(f.Path), pathBefore: quotedPath(f.PathDown),
		home: cmp.Or(installSchema(h.Objects()), installSchema(objectsOf(f.up)))}
	if f.Checks != nil {
		p.opt.SearchPath = f.Checks.Schemas
		p.opt.Trust = lists.Map(f.Checks.Trust, func(name string) policy.Name { return policy.Name{Text: name} })
	}
	if f.MakeSchema {
		p.opt.Schema = p.opt.home
	}
	if !p.opt.Roles.None {
		p.opt.Roles = readersIn(slices.Concat(f.up, f.down), p.opt.Roles)
	}
	p.changes = h.changesOf(f)
	up, down, first := f.actions(f.up), f.actions(f.down), len(h.sums) == 0 && p.runtime
	if first && p.opt.home != "" {
		down = []action{p.dropRuntime()}
	} else if p.uninstall {
		up = []action{p.removeAll()}
	}
	return p.render(up, down, first)
}

// quotedPath returns a search path as in SET; "" if the text is not a list of names.
func quotedPath(path string) string {
	if names, ok := namesIn(path); ok {
		return quote.Idents(names)
	}
	return ""
}

// namesIn parses a list of identifiers.
func namesIn(list string) (names []string, ok bool) {
	tokens, err := pgparse.Tokens(list)
	for i, t := range tokens {
		if i%2 == 1 {
			ok = t.Text == ","
		} else if name, wrong := pgparse.Name(t.Text); wrong == nil && len(name) == 1 {
			names, ok = append(names, name[0]), true
		} else {
			ok = false
		}
		if !ok {
			return nil, false
		}
	}
	return names, err == nil && len(tokens)%2 == 1
}

// readersIn sets the worker, the runner, the operator and the viewer in roles. These four may use
// the schema of the runtime.
func readersIn(actions []action, roles policy.Roles) policy.Roles {
	for _, a := range actions {
		if names, ok := namesIn(a.object.Parts[PartReaders]); ok && len(names) == 4 {
			roles.Worker, roles.Runner, roles.Operator, roles.Viewer = names[0], names[1], names[2], names[3]
			break
		}
	}
	return roles
}

// ofFile returns a copy of an object. Outside the file of the runtime the copy belongs to a policy.
// A file does not record which one.
func (f *migrationFile) ofFile(o Object) Object {
	if !f.kind.runtime {
		o.Policy = "policy"
	}
	return o
}

func (f *migrationFile) actions(list []action) []action {
	return lists.Map(list, func(a action) action { a.object = f.ofFile(a.object); return a })
}

// changesOf returns the changes of a file, in the order of the lines in its head comment.
func (h *History) changesOf(f *migrationFile) []Change {
	var list []Change
	if f.kind.uninstall {
		for i, o := range h.Objects() {
			list = append(list, Change{Before: &o, BeforeIndex: i})
		}
		return uninstalled(list)
	}
	for _, a := range f.actions(f.up) {
		before, had := h.Object(a.object.ID())
		before, c := f.ofFile(before), Change{}
		if had {
			c.Before = &before
		}
		if at := slices.IndexFunc(list, func(c Change) bool { return c.Object().ID() == a.object.ID() }); at >= 0 {
			list[at].After = &a.object // the object is dropped first
			continue
		}
		if c.After = &a.object; a.drops {
			c.After = nil
		}
		if c.Before == nil && c.After == nil { // it drops an object that does not exist
			c.Before = &a.object
		}
		list = append(list, c)
	}
	place := map[string]int{}
	for i, line := range strings.Split(h.tool.unescape.Replace(f.texts[0].Text), "\n") {
		place[line] = i
	}
	slices.SortStableFunc(list, func(a, b Change) int { return place[a.line()] - place[b.line()] })
	return list
}

// readRow parses the registry row of the install. It reports whether there is one.
func (o Object) readRow(row *installRow) bool {
	return json.Unmarshal([]byte(o.Parts[PartRow]), row) == nil
}

// checkSettings compares the search path and the trusted roles of a step's files with the install
// after the step. They are not part of the state.
func (h *History) checkSettings(step []*migrationFile) error {
	install, ok := h.Object(ID{KindInstall, "install"})
	var row installRow
	if !ok {
		return nil
	}
	if !install.readRow(&row) {
		return historyError(ErrEdited, "it does not say which row of the install it writes", h.FileOf(install.ID()))
	}
	for _, f := range step {
		wrong := ""
		switch names, _ := namesIn(f.Path); {
		case f.Path != "" && f.Path != ownPath && (len(names) < 2 || names[0] != "pg_catalog" ||
			names[len(names)-1] != "pg_temp" ||
			strings.Join(names[1:len(names)-1], ", ") != row.SearchPath):
			wrong = fmt.Sprintf("it sets search_path to %s, but the install has %s", f.Path, row.SearchPath)
		case f.Checks != nil && strings.Join(f.Checks.Schemas, ", ") != row.SearchPath:
			wrong = fmt.Sprintf("it checks schemas %s, but the install has %s",
				strings.Join(f.Checks.Schemas, ", "), row.SearchPath)
		case f.Checks != nil && !slices.Equal(f.Checks.Trust, row.Trust):
			wrong = fmt.Sprintf("it trusts %q, but the install trusts %q", f.Checks.Trust, row.Trust)
		}
		if wrong != "" {
			return historyError(ErrEdited, wrong, f.Name)
		}
	}
	return nil
}

// checkActions refuses three kinds of edits: an object in the wrong file, a Down part that differs
// from the state before the file, and other roles than in earlier files.
func (h *History) checkActions(f *migrationFile) error {
	for as, role := range f.roles {
		if before, known := h.roles[as]; known && before != role && !f.kind.noTransaction {
			message := fmt.Sprintf("it creates objects as role %q, but earlier migrations used role %q", role, before)
			return historyError(ErrEdited, message, f.Name)
		}
	}
	for _, a := range f.down {
		before, had := h.Object(a.object.ID())
		if !a.drops && (!had || before.SQL != a.object.SQL || before.As != a.object.As) {
			message := fmt.Sprintf("its Down part creates %s %s, which differs from that of earlier migrations",
				a.object.Kind, quoteName(a.object.Name))
			return historyError(ErrEdited, message, f.texts[len(f.texts)-1].Name)
		}
	}
	for _, c := range h.changesOf(f) {
		if f.kind.uninstall {
			break // it has objects of all kinds
		}
		if fileIndex(c, false) != f.index && fileIndex(c, true) != f.index {
			message := fmt.Sprintf("%s %s does not belong in this file", c.Object().Kind, quoteName(c.Object().Name))
			return historyError(ErrEdited, message, f.Name)
		}
	}
	return nil
}
