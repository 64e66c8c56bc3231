package generator

import (
	"fmt"
	"slices"

	"pgretain/internal/lists"
	"pgretain/policy"
)

// effectsData is the data of the template "effects".
type effectsData struct {
	functionHead
	Steps        []stepEffect
	Notes        []stepNote
	RowsFunction ident
	Partitions   bool
	Table        sqlText
}

// relatedData is the data of the template "related".
type relatedData struct {
	functionHead
	Steps []relatedStep
}

// stepNote is a note about a step; about the conditions of the policy if Number is 0.
type stepNote struct {
	Number int
	Text   literal
}

// stepSource says how a step finds its rows: t with the policy's joins, and the related rows.
type stepSource struct {
	Number      int
	As          ident
	From        sqlText
	Related, On sqlText    // "" for a step on the policy's own rows
	Rest        []keptRows // tables that its conditions read
	TableName   sqlText    // of a step that drops tables
	Drops       bool
}

// keptRows is a table without the rows that earlier steps delete.
type keptRows struct {
	Name  ident
	Table sqlText
	Rows  []sqlText
}

// stepEffect is a step in the template "effects".
type stepEffect struct {
	stepSource
	Verb, Name literal
	Unforeseen bool // its rows are known only in a batch; then it has no further fields
	Schema     sqlText
	Policy     literal
	Table      sqlText
	Removed    bool    // the step detaches or drops partitions
	Changes    bool    // the step deletes or updates rows
	Differs    sqlText // condition that an update changes the row
	Conditions []sqlText
	Rows       sqlText        // relation with its rows
	Query      sqlText        // its query; "" if the relation is the whole batch
	Key        []copiedColumn // key of its archive; nil if no row can exist there already
	Into       sqlText
}

// relatedStep is a step in the template "related".
type relatedStep struct {
	stepSource
	Deletes bool
}

// effectFunctions returns the functions that say what the steps do, without doing it.
// <policy>_effects counts for blast_radius. <policy>_related finds the rows of other tables that a
// hold can protect. A policy that deletes its rows and does nothing else needs neither.
func (w *policyCompiler) effectFunctions(entries []stepEntry, notes []string) []draft {
	var objects []draft
	plain := []stepEntry{{Step: 1, Verb: policy.VerbDelete, Table: tableName(w.table)}}
	if encode(entries) != encode(plain) {
		steps := lists.Map(w.steps, w.effectOf)
		all := lists.Map(notes, func(text string) stepNote { return stepNote{0, literal(text)} })
		for _, s := range w.steps {
			for _, text := range w.stepNotes(s) {
				all = append(all, stepNote{s.number, literal(text)})
			}
		}
		for _, table := range w.watermarks() {
			number := len(w.steps) + 1
			steps = append(steps, stepEffect{stepSource: stepSource{Number: number}, Verb: literal(policy.VerbUpdate),
				Name: literal(table), Unforeseen: true})
			all = append(all, stepNote{number, "it stores the position that a run has reached"})
		}
		effects := function{suffix: "effects", returns: "SETOF " + w.schema() + ".effect", language: "sql",
			clauses:    []string{"STABLE"},
			parameters: append(w.batchRange(""), in("", "oid[]"), in("", "tid[]"), in("", "bigint"))}
		data := &effectsData{Steps: steps, Notes: all, RowsFunction: ident(w.policy.Name + "_rows"),
			Partitions: w.policy.Partitions, Table: qualified(w.table)}
		objects = append(objects, w.function(effects, "effects", data))
	}
	if slices.ContainsFunc(w.steps, step.reachesOthers) {
		found := slices.DeleteFunc(slices.Clone(w.steps), func(s step) bool {
			return !s.reachesOthers() || w.unforeseen(s) != ""
		})
		related := function{suffix: "related", returns: "TABLE", language: "sql", clauses: []string{"STABLE"},
			parameters: append(w.batchRange(""), column("step", "integer"), column("n", "integer"),
				column("rel", "oid"), column("tid", "tid"), column("deletes", "boolean"), column("name", "text"))}
		objects = append(objects, w.function(related, "related", &relatedData{Steps: lists.Map(found, w.relatedOf)}))
	}
	return objects
}

// reachesOthers reports whether a step deletes or changes rows of another table, or drops tables.
func (s step) reachesOthers() bool {
	return s.DropTable != nil || s.Related != nil && (s.Delete != nil || s.Update != nil)
}

// watermarks returns the tables in which a run stores the position that it has reached.
func (w *policyCompiler) watermarks() (tables []string) {
	for _, k := range w.clocks {
		if k != nil && k.mark != "" {
			tables = append(tables, k.source.Watermark.Table.String())
		}
	}
	return tables
}

// unforeseen returns why the rows of a step are known only in a batch; "" if a query can find them.
func (w *policyCompiler) unforeseen(s step) string {
	conditions := conditionsOf(s)
	switch {
	case s.SQL != nil:
		return "the policy contains the SQL statement, so its rows are known only in a batch"
	case readBatch(conditions), mentions(conditions, s.headerNames()...), w.policy.Partitions && len(conditions) > 0:
		return "its condition reads values that exist only in a batch"
	case !storesRows(s.from) && !w.policy.Partitions:
		return "it acts on rows of a view"
	}
	return ""
}

// conditionsOf returns the expressions that decide on which rows a step acts.
func conditionsOf(s step) []policy.SQLFragment {
	return expressionsOf(policy.Step{Where: s.Where, Related: s.Related, Update: s.Update, DropTable: s.DropTable})
}

func (w *policyCompiler) effectOf(s step) stepEffect {
	d := stepEffect{stepSource: stepSource{Number: s.number}, Verb: literal(s.verb), Name: literal(s.target),
		Unforeseen: w.unforeseen(s) != ""}
	if d.Unforeseen {
		return d
	}
	w, before := w.readWithout(s)
	d.Schema, d.Policy, d.Table = sqlText(w.schema()), literal(w.policy.Name), w.rowsFrom()
	d.Removed, d.Changes = s.Detach != nil || s.Drop != nil, s.Delete != nil || s.Update != nil
	notTaken := func(by step, as ident) sqlText { return fragment("not taken", takenRows{w.foreseenRows(by), as}) }
	d.stepSource = w.sourceOf(s, before, func(b step) sqlText { return notTaken(b, "o") })
	var conditions []sqlText
	if s.Where != nil {
		conditions = append(conditions, enclosed(w.bind(*s.Where)))
	}
	for _, b := range before {
		if b.target == tableName(s.from) && (s.Related != nil || d.Changes) {
			conditions = append(conditions, notTaken(b, s.as))
		}
	}
	if s.Update != nil {
		d.Differs = fragment("any differs", w.setTexts(s, false))
	}
	if s.Archive != nil && !keepsOrReplaces(s.Archive) && !slices.Contains(w.absent, s.target) {
		d.Key, d.Into = w.copiedKey(s), qualified(s.into)
	}
	if d.Conditions, d.Rows = conditions, w.foreseenRows(s); d.Rows != wholeBatch {
		d.Query = fragment("rows of step", d)
	}
	return d
}

// takenRows is a relation with rows that an earlier step takes, and the alias of other rows.
type takenRows struct {
	Rows sqlText
	As   ident
}

// wholeBatch is the relation with all due rows in <policy>_effects.
const wholeBatch sqlText = "_batch"

// foreseenRows returns the name of the relation in <policy>_effects with the rows on which a step
// acts.
func (w *policyCompiler) foreseenRows(s step) sqlText {
	again := s.Delete != nil && slices.ContainsFunc(w.steps[:s.number-1], func(b step) bool {
		return b.Delete != nil && b.target == s.target && w.unforeseen(b) == ""
	})
	if s.Related == nil && s.Update == nil && s.Where == nil && !again {
		return wholeBatch
	}
	return sqlText(fmt.Sprintf("_step_%d", s.number))
}

// relatedOf counts rows that earlier steps delete from the step's own table as present, and other
// tables as empty. So no row is missing.
func (w *policyCompiler) relatedOf(s step) relatedStep {
	w, before := w.readWithout(s)
	return relatedStep{w.sourceOf(s, before, func(b step) sqlText {
		return map[bool]sqlText{true: "true", false: "false"}[b.target == tableName(s.from)]
	}), s.Delete != nil}
}

// readWithout returns a scope for a step. In it, expressions read tables without the rows that
// earlier steps delete. It also returns these steps.
func (w *policyCompiler) readWithout(s step) (inner *policyCompiler, before []step) {
	inner = w.with(beforeRun)
	for _, b := range w.steps[:s.number-1] {
		if b.Delete != nil && w.unforeseen(b) == "" {
			before, inner.deleted = append(before, b), append(inner.deleted, b.target)
		}
	}
	return inner.inStep(s), before
}

// sourceOf returns how a step finds its rows. left returns the condition for rows that an earlier
// step leaves.
func (w *policyCompiler) sourceOf(s step, before []step, left func(step) sqlText) stepSource {
	d := stepSource{Number: s.number, As: s.as, From: w.withJoins(), Rest: w.restOf(s, before, left),
		Drops: s.DropTable != nil}
	if d.From == "" {
		d.From = fragment("from", fromClause{Table: w.rowsFrom()})
	}
	if s.Related != nil {
		d.Related, d.On = qualified(s.from), w.bind(s.Related.Where)
	}
	if d.Drops {
		d.TableName = w.bind(*s.DropTable)
	}
	return d
}

// restOf returns the tables that conditions of a step read without the rows that earlier steps
// delete. The parameter "left" returns the condition for rows that such a step leaves.
func (w *policyCompiler) restOf(s step, before []step, left func(step) sqlText) (rest []keptRows) {
	for _, r := range w.tablesRead(conditionsOf(s)) {
		name := ident("rest of " + tableName(r.table))
		known := slices.ContainsFunc(rest, func(kept keptRows) bool { return kept.Name == name })
		var rows []sqlText
		for _, b := range before {
			if b.target == tableName(r.table) && plainRead(r.expr, r.ref) {
				rows = append(rows, left(b))
			}
		}
		if len(rows) > 0 && !known {
			rest = append(rest, keptRows{name, qualified(r.table), rows})
		}
	}
	return rest
}
