package lint

import (
	"slices"
	"strings"

	"pgretain/policy"
)

// checkRepeated warns of a step that acts again in each run on rows that the policy leaves where
// they are: its own delete or update has a condition.
func (l *linter) checkRepeated(p *policy.Policy) {
	conditional := func(s policy.Step) bool {
		return s.Related == nil && (s.Delete != nil || s.Update != nil) && s.Where != nil
	}
	all := func(s policy.Step) bool {
		return s.Related == nil && (s.Delete != nil || s.Update != nil) && s.Where == nil
	}
	at := slices.IndexFunc(p.Then, conditional)
	if at < 0 || slices.ContainsFunc(p.Then, all) {
		return
	}
	where := p.Then[at].Where.SQL
	for _, s := range p.Then {
		verb := ""
		switch {
		case s.Where != nil && s.Where.SQL == where:
			continue // it acts on the same rows
		case s.Insert != nil && len(s.Insert.Add) > 0:
			verb = "insert"
		case s.Emit != nil:
			verb = "emit"
		case s.Archive != nil:
			verb = "archive"
		default:
			continue
		}
		l.warn("L033", s.Position, p, words{"Verb": verb, "Where": where})
	}
}

// checkEqualPositions warns of a watermark over a column in which values may be equal: rows of one
// value go in one batch.
func (l *linter) checkEqualPositions(p *policy.Policy, k *policy.Clock) {
	t := l.tableOf(p)
	if k.Watermark == nil || k.Column == "" || t == nil || slices.Equal(t.PrimaryKey, []string{k.Column}) {
		return
	}
	for _, i := range t.Indexes {
		if i.Unique && i.Valid && i.Predicate == "" && slices.Equal(i.Columns, []string{k.Column}) {
			return
		}
	}
	l.warn("L034", k.Watermark.Position, p, words{"Column": k.Column})
}

// checkNullInto warns of an update that writes NULL into a column that has to have a value: the
// server refuses each row.
func (l *linter) checkNullInto(p *policy.Policy) {
	for _, s := range p.Then {
		t := l.tableOf(p)
		if s.Related != nil {
			t = l.graph[s.Related.Table.String()]
		}
		if s.Update == nil || t == nil {
			continue
		}
		for _, a := range s.Update.Set {
			if c := t.Column(a.Column); c != nil && c.NotNull &&
				strings.EqualFold(strings.TrimSpace(a.Value.SQL), "null") {
				l.warn("L035", a.Position, p, words{"Column": a.Column, "Table": t.Schema + "." + t.Name})
			}
		}
	}
}
