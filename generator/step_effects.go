package generator

import (
	"fmt"
	"slices"

	"pgretain/policy"
)

// effectFunctions returns the functions that say what the steps do, without doing it.
// <policy>_effects counts for blast_radius. <policy>_related finds the rows of other tables that a
// hold can protect. A policy without "steps" in the registry needs neither.
func (w *policyCompiler) effectFunctions(entries []stepEntry, notes []string) []draft {
	var objects []draft
	if encode(entries) != encode(w.plainSteps()) {
		steps := each(w.steps, w.effectOf)
		all := each(notes, func(text string) fields { return fields{"Number": 0, "Text": literal(text)} })
		for _, s := range w.steps {
			for _, text := range w.stepNotes(s) {
				all = append(all, fields{"Number": s.number, "Text": literal(text)})
			}
		}
		for _, table := range w.watermarks() {
			number := len(w.steps) + 1
			steps = append(steps, fields{"Number": number, "Verb": literal(policy.VerbUpdate), "Name": literal(table),
				"Unforeseen": true, "Query": nil, "Key": nil})
			text := literal("it stores the position that a run has reached")
			all = append(all, fields{"Number": number, "Text": text})
		}
		effects := function{suffix: "effects", returns: "SETOF " + w.schema() + ".effect", language: "sql",
			clauses:    []string{"STABLE"},
			parameters: append(w.batchRange(""), in("", "oid[]"), in("", "tid[]"), in("", "bigint"))}
		data := fields{"Steps": steps, "Notes": all, "RowsFunction": ident(w.policy.Name + "_rows"),
			"Partitions": w.policy.Partitions}
		objects = append(objects, w.function(effects, "effects", data))
	}
	if slices.ContainsFunc(w.steps, step.reachesOthers) {
		found := slices.DeleteFunc(slices.Clone(w.steps), func(s step) bool {
			return !s.reachesOthers() || w.unforeseen(s) != ""
		})
		related := function{suffix: "related", returns: "TABLE", language: "sql", clauses: []string{"STABLE"},
			parameters: append(w.batchRange(""), column("step", "integer"), column("n", "integer"),
				column("rel", "oid"), column("tid", "tid"), column("deletes", "boolean"), column("name", "text"))}
		objects = append(objects, w.function(related, "related", fields{"Steps": each(found, w.relatedOf)}))
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

// effectOf returns the fields of a step for the template "effects".
func (w *policyCompiler) effectOf(s step) fields {
	defer w.saveState()()
	d := fields{"Number": s.number, "Verb": literal(s.verb), "Name": literal(s.target),
		"Unforeseen": w.unforeseen(s) != "", "Query": nil, "Key": nil}
	if w.unforeseen(s) != "" {
		return d
	}
	before := w.readWithout(s)
	d["Schema"], d["Policy"], d["Table"] = sqlText(w.schema()), literal(w.policy.Name), w.rowsFrom()
	d["Removed"], d["Changes"] = s.Detach != nil || s.Drop != nil, s.Delete != nil || s.Update != nil
	d["Drops"], d["Differs"] = s.DropTable != nil, nil
	w.addSource(d, s)
	notTaken := func(by step, as ident) sqlText {
		return fragment("not taken", fields{"Rows": w.foreseenRows(by), "As": as})
	}
	var conditions []sqlText
	if s.Where != nil {
		conditions = append(conditions, enclosed(w.bind(*s.Where)))
	}
	for _, b := range before {
		if b.target == tableName(s.from) && (s.Related != nil || d["Changes"] == true) {
			conditions = append(conditions, notTaken(b, s.as))
		}
	}
	d["Rest"] = w.restOf(s, before, func(b step) sqlText { return notTaken(b, "o") })
	if s.Update != nil {
		d["Differs"] = fragment("any differs", w.setTexts(s, false))
	}
	if s.DropTable != nil {
		d["TableName"] = w.bind(*s.DropTable)
	}
	if s.Archive != nil && !keepsOrReplaces(s.Archive) {
		d["Key"], d["Into"] = w.copiedKey(s), qualified(s.into)
	}
	if d["Conditions"], d["Rows"] = conditions, w.foreseenRows(s); d["Rows"] != wholeBatch {
		d["Query"] = fragment("rows of step", d)
	}
	return d
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

// relatedOf returns the fields of a step for the template "related". Rows that earlier steps delete
// from the step's own table count as present, and other tables as empty. So no row is missing.
func (w *policyCompiler) relatedOf(s step) fields {
	defer w.saveState()()
	before := w.readWithout(s)
	d := fields{"Number": s.number, "Deletes": s.Delete != nil, "Drops": s.DropTable != nil}
	w.addSource(d, s)
	d["Rest"] = w.restOf(s, before, func(b step) sqlText {
		return map[bool]sqlText{true: "true", false: "false"}[b.target == tableName(s.from)]
	})
	if s.DropTable != nil {
		d["TableName"] = w.bind(*s.DropTable)
	}
	return d
}

// readWithout makes expressions of a step read tables without the rows that earlier steps delete.
// It returns these steps.
func (w *policyCompiler) readWithout(s step) (before []step) {
	w.inputs = beforeRun
	for _, b := range w.steps[:s.number-1] {
		if b.Delete != nil && w.unforeseen(b) == "" {
			before, w.deleted = append(before, b), append(w.deleted, b.target)
		}
	}
	w.enter(s)
	return before
}

// addSource adds the fields by which a step finds its rows: t with the policy's joins, and the
// related rows.
func (w *policyCompiler) addSource(d fields, s step) {
	d["As"], d["Related"], d["From"] = s.as, nil, w.withJoins()
	if d["From"] == sqlText("") {
		d["From"] = fragment("from", fields{"Table": w.rowsFrom(), "Joins": nil, "Columns": nil})
	}
	if s.Related != nil {
		d["Related"], d["On"] = qualified(s.from), w.bind(s.Related.Where)
	}
}

// restOf returns the tables that conditions of a step read without the rows that earlier steps
// delete. The parameter "left" returns the condition for rows that such a step leaves.
func (w *policyCompiler) restOf(s step, before []step, left func(step) sqlText) (rest []fields) {
	for _, r := range w.tablesRead(conditionsOf(s)) {
		name := ident("rest of " + tableName(r.table))
		known := slices.ContainsFunc(rest, func(d fields) bool { return d["Name"] == name })
		var rows []sqlText
		for _, b := range before {
			if b.target == tableName(r.table) && plainRead(r.expr, r.ref) {
				rows = append(rows, left(b))
			}
		}
		if len(rows) > 0 && !known {
			rest = append(rest, fields{"Name": name, "Table": qualified(r.table), "Rows": rows})
		}
	}
	return rest
}
