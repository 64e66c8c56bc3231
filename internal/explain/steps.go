package explain

import (
	"slices"
	"strings"

	"pgretain/internal/quote"
	"pgretain/policy"
)

// stepKinds are the verbs of steps, with what they do.
var stepKinds = []struct {
	is  func(policy.Step) bool
	say func(policy.Step) string
}{
	{func(s policy.Step) bool { return s.Delete != nil }, func(policy.Step) string { return "delete the rows" }},
	{func(s policy.Step) bool { return s.Update != nil }, update},
	{func(s policy.Step) bool { return s.Insert != nil }, insert},
	{func(s policy.Step) bool { return s.Archive != nil }, archive},
	{func(s policy.Step) bool { return s.Emit != nil }, emit},
	{func(s policy.Step) bool { return s.SQL != nil }, func(s policy.Step) string { return "run " + s.SQL.SQL }},
	{func(s policy.Step) bool { return s.Detach != nil }, func(policy.Step) string { return "detach the partition" }},
	{func(s policy.Step) bool { return s.Drop != nil }, func(policy.Step) string { return "drop the partition" }},
	{func(s policy.Step) bool { return s.DropTable != nil }, func(s policy.Step) string {
		return dropTable + operand(s.DropTable.SQL) + " names"
	}},
}

const dropTable = "drop the table that "

// steps says what is done with the rows, a step a line; nothing where that is said already.
func steps(s subject) []string {
	if len(s.Then) == 1 {
		only := s.Then[0]
		if only.Related == nil && only.Where == nil && (only.Delete != nil || only.Detach != nil || only.Drop != nil) {
			return nil
		}
	}
	return each(s.Then, step)
}

func step(s policy.Step) string {
	before := ""
	switch {
	case s.Related != nil:
		before = "of " + table(s.Related.Table) + " " + s.Related.As + related(s.Related) + ": "
	case s.Where != nil:
		before = strings.TrimPrefix(when(s.Where), " ") + ": "
	}
	for _, kind := range stepKinds {
		if kind.is(s) {
			return before + kind.say(s)
		}
	}
	return ""
}

// related says which rows of another table a step acts on.
func related(r *policy.Related) string {
	text := ""
	for _, j := range r.Joins {
		text += " with " + join(j) + ","
	}
	return text + when(&r.Where)
}

func update(s policy.Step) string {
	text := "set " + assignments(s.Update.Set)
	if len(s.Update.Undo) > 0 {
		text += "; a restore sets " + assignments(s.Update.Undo)
	}
	return text
}

func insert(s policy.Step) string {
	into, in := table(s.Insert.Into), s.Insert
	var text string
	switch {
	case len(in.Key) > 0:
		text = "write one row of " + into + " for each " + assignments(in.Key)
	case len(in.Per) > 0:
		text = "insert a row into " + into + " for each " + assignments(in.Per) + " of the batch"
	default:
		text = "insert a row into " + into + " for each"
	}
	for _, part := range []struct {
		verb string
		list []policy.Assignment
	}{{"add", in.Add}, {"keep the greater", in.Max}, {"keep the smaller", in.Min}, {"set", in.Set}} {
		if len(part.list) > 0 {
			text += "; " + part.verb + " " + assignments(part.list)
		}
	}
	if in.As != "" {
		text += "; later steps read it as " + in.As
	}
	return text
}

// existing says what becomes of a row that an archive has already; refused ones are errors.
var existing = map[string]string{"keep": "; one that is there stays", "replace": "; it replaces one that is there"}

func archive(s policy.Step) string {
	a := s.Archive
	text := "copy the rows into " + table(a.Into)
	given := slices.ContainsFunc(a.Set, func(set policy.Assignment) bool { return set.Column == a.Document })
	if a.Document != "" && !given {
		text += ", whole in column " + quote.Ident(a.Document)
	}
	for _, c := range a.Columns {
		text += ", " + name(c.From) + " as " + quote.Ident(c.Name)
	}
	if len(a.Set) > 0 {
		text += ", with " + assignments(a.Set)
	}
	text += existing[a.Existing]
	if a.Create {
		text += "; the migration makes that table"
	}
	return text
}

func emit(s policy.Step) string {
	text := "write event " + s.Emit.Event + " for each"
	if len(s.Emit.Payload) > 0 {
		key := func(a policy.Assignment) string { return a.Column + " = " + oneLine(a.Value.SQL) }
		text += " with " + list(each(s.Emit.Payload, key))
	}
	return text
}

func claims(s subject) []string {
	c := s.Claim
	if c == nil {
		return nil
	}
	ttl := c.TTL.Tiers[0]
	text := name(c.Key) + " for " + length(ttl) + caveat(ttl) + ", by " + s.function("claim")
	if len(c.Set) > 0 {
		text += ", which sets " + assignments(c.Set)
	}
	return []string{text + "; " + s.function("seen") + " looks" + granted(c.Grant)}
}

func cursor(s subject) []string {
	if s.Claim == nil || s.Claim.Cursor == nil {
		return nil
	}
	c := s.Claim.Cursor
	position := list(each(c.Columns, name))
	text := "the row of " + table(c.Table) + " with a given " + name(c.Key) + " in " + position +
		", never back, by " + s.function("advance")
	if len(c.With) > 0 {
		text += ", which sets " + list(each(c.With, name)) + " with it"
	}
	return []string{text}
}

func touch(s subject) []string {
	if s.Touch == nil {
		return nil
	}
	t := s.Touch
	sets := " sets " + assignments(t.Set) + granted(t.Grant)
	return []string{"rows by " + name(t.Key) + ": " + s.function("touch") + sets}
}

func revive(s subject) []string {
	if s.Touch == nil || s.Touch.Revive == nil {
		return nil
	}
	r := s.Touch.Revive
	text := "what " + s.function("touch") + " does not find, from " + table(r.Table) + " " + r.As + ": "
	text += assignments(r.Set)
	if r.Emit != "" {
		text += "; writes event " + r.Emit
	}
	if r.Also != nil {
		text += ", also for what is there" + when(r.Also)
	}
	return []string{text}
}

// function is one that the policy makes for applications.
func (s subject) function(word string) string {
	return quote.Qualified(s.Schema, s.Name+"_"+word) + "()"
}

func granted(roles []policy.Name) string {
	if len(roles) == 0 {
		return ""
	}
	return "; granted to " + list(each(roles, name))
}
