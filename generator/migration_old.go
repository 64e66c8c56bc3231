package generator

import (
	"cmp"
	"maps"
	"regexp"
	"strings"
	"sync"

	"pgretain/internal/pgparse"
)

// This file reads migrations without the lines of partsMark and frame.mark. Earlier versions of
// pgretain wrote such files. It finds in their SQL what these lines contain in later files.

// oldSettings contains the settings that a part of a file makes between its objects.
type oldSettings struct {
	path  string
	trust string        // arguments of retention._refuse_untrusted(); "" if it is not called
	role  string        // role that creates the next objects
	roles map[As]string // creating roles
}

// settingLine matches a line that sets the role, or the search path, or checks whom to trust.
var settingLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:` + regexp.QuoteMeta(strings.TrimSuffix(foundRole(), ";\n")) +
		`|SET LOCAL ROLE (.*)|SET (?:LOCAL )?search_path = (.*)|SELECT .*\._refuse_untrusted\((.*)\));$`)
})

// read parses lines between objects.
func (s *oldSettings) read(lines string) {
	for _, m := range settingLine().FindAllStringSubmatch(lines, -1) {
		if m[3] != "" {
			s.trust = cmp.Or(s.trust, m[3])
		} else if m[2] != "" {
			s.path = cmp.Or(s.path, m[2])
		} else if m[1] == "" {
			s.role = ""
		} else if name, err := pgparse.Name(m[1]); err == nil && len(name) == 1 {
			s.role = name[0]
		}
	}
}

// readOld completes a file that has no line of frame.mark. above is the text of Up.
func (f *migrationFile) readOld(up, down oldSettings, above string) {
	f.old = true
	f.roles = maps.Clone(up.roles)
	maps.Copy(f.roles, down.roles)
	f.Owner, f.Runner = cmp.Or(f.roles[AsOwner], f.roles[AsWorker]), f.roles[AsRunner]
	f.Path, f.PathDown, f.MakeSchema = up.path, down.path, strings.Contains(above, "\nDO $schema$\n")
	if arrays, err := pgparse.TextArrays(cmp.Or(up.trust, down.trust)); err == nil && len(arrays) == 2 {
		f.Checks = &checks{arrays[0], arrays[1]}
	}
	for _, list := range [][]action{f.up, f.down} {
		for i := range list {
			if !list[i].drops {
				list[i].object.readOldParts()
			}
		}
	}
}

// joinOld completes an Up file with what its Down file contains.
func (f *migrationFile) joinOld(down *migrationFile) {
	f.PathDown = down.Path
	f.Owner, f.Runner = cmp.Or(f.Owner, down.Owner), cmp.Or(f.Runner, down.Runner)
	f.Checks = cmp.Or(f.Checks, down.Checks)
}

// These patterns match the parts of objects.
var (
	oldAgain   = regexp.MustCompile(`^(?:-- Written again: .*\n)?(?:SELECT .*\._adopt_index\(.*\);\n-- next\n)*`)
	oldLost    = regexp.MustCompile(`(?m)^-- Written again: a database in state ([0-9a-f]{12}) had lost it\.\n`)
	oldReaders = regexp.MustCompile(`(?m)^GRANT .* TO (.*);$`)
	oldRow     = regexp.MustCompile(`\$row[0-9]*\$ `)
	oldWords   = regexp.MustCompile(`\$description[0-9]*\$\n`)
	oldType    = regexp.MustCompile(`(?ms) ADD COLUMN IF NOT EXISTS (?:"(?:[^"]|"")+"|\w+)\s+` +
		`(.*?)(?:\s+DEFAULT\s.*?)?;$`)
	oldParent = regexp.MustCompile(` ON ONLY ([^(]*) \(`)
)

func (o *Object) readOldParts() {
	switch o.Kind {
	case KindTable:
		if found := oldReaders.FindStringSubmatch(o.SQL); found != nil {
			*o = o.with(PartReaders, found[1])
		}
	case KindInstall:
		*o = o.with(PartRow, inOldQuotes(o.SQL, oldRow.FindString(o.SQL), " "))
	case KindPolicy, KindEach, KindJob:
		*o = o.with(PartWords, inOldQuotes(o.SQL, oldWords.FindString(o.SQL), "\n"))
	case KindColumn:
		if found := oldType.FindStringSubmatch(o.SQL); found != nil {
			*o = o.with(PartType, oneLine(found[1]))
		}
	case KindIndex:
		if found := oldParent.FindStringSubmatch(o.SQL); found != nil {
			*o = o.with(PartParent, found[1])
		}
	}
	again := ""
	if o.Kind == KindPolicy {
		again = oldLost.FindString(o.SQL)
	} else if o.Kind == KindPrivilege || o.Kind == KindColumn || o.Kind == KindIndex {
		again = oldAgain.FindString(o.SQL)
	}
	if *o = o.with(PartAgain, again); again != "" {
		if lost := oldLost.FindStringSubmatch(again); lost != nil {
			*o = o.with(PartLost, lost[1])
		}
	}
}

// inOldQuotes returns the text between a dollar quote and its end. The quote ends with "after".
func inOldQuotes(sql, quote, after string) string {
	_, below, found := strings.Cut(sql, quote)
	text, _, ends := strings.Cut(below, strings.TrimSuffix(quote, after))
	if quote == "" || !found || !ends {
		return ""
	}
	return text
}

// plain reports whether an object of the runtime has no mark of its own in an old file. Such a text
// begins with a comment and contains the name of the object.
func (a action) plain() bool {
	o := a.object
	if a.drops || a.removal != nil || o.As != AsOwner || !strings.HasPrefix(o.SQL, commentStart) ||
		len(oldRuntimeTexts(o.SQL)) != 1 {
		return false
	}
	id, _, ok := created(o.SQL)
	return ok && id == o.ID()
}

// oldRuntime reads the objects below runtimeMark.
func (r *reader) oldRuntime(text string) error {
	for _, text := range oldRuntimeTexts(text) {
		id, _, ok := created(text)
		if !ok {
			return r.malformed("a text above this line creates no object of the runtime")
		}
		r.actions = append(r.actions, action{object: Object{Kind: id.Kind, Name: id.Name, As: AsOwner, SQL: text,
			Chapter: r.chapter}})
	}
	return nil
}

// oldRuntimeTexts splits the text below runtimeMark. Each object begins with lines of comment.
func oldRuntimeTexts(text string) (texts []string) {
	start, at, comment := 0, 0, true
	for line := range strings.Lines(text) {
		before := comment
		if comment = strings.HasPrefix(line, commentStart); comment && !before {
			texts = append(texts, text[start:at])
			start = at
		}
		at += len(line)
	}
	return append(texts, text[start:])
}
