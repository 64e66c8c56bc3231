package generator

import (
	"fmt"
	"slices"
	"strings"

	"pgretain/internal/pgparse"
)

// planData is what the template plan reads.
type planData struct {
	Schema, Function, Signature, Policy string
	PolicyLiteral, Comment, Zone        literal
	SearchPath                          []ident
	Statements                          []planStatement
}

// planStatement is the statement by which a batch function finds its rows, as a SELECT. With Types it is
// planned for all values, as the function does it; without, for those of a run's first batch.
type planStatement struct {
	Batch     literal
	Statement sqlText
	Types     []string
	Ranked    bool
	Cursor    []cursorColumn
	Cutoffs   []cutoff
	Scopes    []scopeText

	fragment string // what Statement is made of
	data     batchData
	generic  bool
}

// find notes by what statement a batch function finds rows. A rank whose groups no index can give is
// left out: it reads its table by design.
func (w *work) find(p pass, template string, d batchData) {
	s := planStatement{Batch: literal(d.Function), Ranked: template == "batch_ranked", Cursor: d.Cursor, Cutoffs: d.Cutoffs, Scopes: d.Scopes}
	if s.Ranked && (!p.beyond.columns || p.beyond.Count != nil ||
		slices.ContainsFunc(p.beyond.Keys, func(k groupKey) bool { return !k.notNull })) {
		return
	}
	s.fragment, s.data = "found rows", d
	if s.Ranked {
		s.fragment = "found rows by rank"
	}
	s.generic = d.Started || p.clock != nil && (p.clock.upTo != "" || p.clock.mark != "")
	w.found = append(w.found, s)
}

// write writes the statement.
func (s *planStatement) write() {
	s.Statement = fragment(s.fragment, s.data)
	if s.generic {
		s.number()
	}
}

// number makes parameters of the variables: their values are not known outside a run, or not looked at.
func (s *planStatement) number() {
	names := map[string]string{}
	add := func(name, typ string) {
		if strings.Contains(string(s.Statement), name) {
			s.Types = append(s.Types, typ)
			names[name] = fmt.Sprintf("$%d", len(s.Types))
		}
	}
	for _, c := range s.Cursor {
		add(fmt.Sprintf("v_position_%d", c.Number), c.Type)
	}
	for _, c := range s.Cutoffs {
		add(c.Name, c.Type)
	}
	for _, c := range s.Scopes {
		add(string(c.Variable), string(c.Type))
	}
	add("v_as_of", "timestamptz")
	add("v_in.batch_rows", "integer")
	s.Statement = hung(pgparse.Rename(layout(string(s.Statement)), names))
}

// plan is the function that shows how PostgreSQL would find a batch's rows; nil where there is nothing
// to show.
func (w *work) plan() []Object {
	if len(w.found) == 0 || w.onlyCheck {
		return nil
	}
	for i := range w.found {
		w.found[i].write()
	}
	name := w.policy.Name + "_plan"
	d := planData{
		Schema: w.schema(), Function: name, Signature: name + "()", Policy: w.policy.Name, PolicyLiteral: literal(w.policy.Name),
		Comment: literal(fmt.Sprintf("pgretain: the plans by which batches of policy %s find their rows", w.policy.Name)),
		Zone:    literal(w.file.Install.TimeZone), SearchPath: w.searchPath(), Statements: w.found,
	}
	return []Object{w.function(d.Signature, "plan", d)}
}
