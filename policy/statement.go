package policy

import (
	"fmt"
	"slices"

	"pgretain/internal/pgparse"
)

// sqlStep is one statement over the relation batch.
func (r *reader) sqlStep(f field, s scope) (*Expr, bool) {
	if !r.written(f, "an SQL statement over \"batch\"") {
		return nil, false
	}
	if _, ok := r.text(f); !ok {
		return nil, false
	}
	e, _ := r.raw(f)
	parsed, err := pgparse.ParseStatement(e.SQL)
	if err != nil {
		r.sqlError(e, "statement", err)
		return nil, false
	}
	s.names = nil // any name before a dot may be one of its own tables
	r.names(e, &parsed.Expr, s)
	r.overBatch(e, parsed)
	return &e, true
}

// written holds that a step is not the bare name of its verb.
func (r *reader) written(f field, what string) bool {
	if f.value != nil && !isNull(f) {
		return true
	}
	r.add(codeMissing, r.at(f.key), fmt.Sprintf("%s needs %s", quoted(f.name()), what), "", "")
	return false
}

func isBatch(t pgparse.TableRef) bool { return t.Schema == "" && t.Name == "batch" }

// overBatch holds that a statement reads the batch, and that what it changes has a schema: which
// tables may be changed is checked when the file is read.
func (r *reader) overBatch(e Expr, parsed *pgparse.Statement) {
	if slices.Contains(parsed.With, "batch") {
		r.add(codeReserved, e.At(parsed.CTEs), `name "batch" is reserved`, "It is the rows of the batch.", "Choose another name after WITH.")
	}
	if !slices.ContainsFunc(parsed.Tables, isBatch) {
		r.add(codeStatement, e.Position, `the statement does not read "batch"`, "It would do the same in every batch, whatever its rows are.", `Name the relation "batch": it holds the rows of the batch, with the table's columns.`)
	}
	for _, w := range parsed.Writes {
		switch {
		case isBatch(w.Table):
			r.add(codeStatement, e.At(w.Table.Offset), `"batch" cannot be changed`, "It is a list of the rows as they were judged.", "Change the policy's table.")
		case w.Table.Schema == "":
			r.add(codeStatement, e.At(w.Table.Offset), fmt.Sprintf("table %q needs its schema", w.Table.Name), "A table that a statement changes is named in full.", fmt.Sprintf("Write for example public.%s.", w.Table.Name))
		}
	}
}

// writes lists what a statement changes; the statement was checked when it was read.
func writes(e *Expr) []Use {
	if e == nil {
		return nil
	}
	parsed, err := pgparse.ParseStatement(e.SQL)
	if err != nil {
		return nil
	}
	var uses []Use
	for _, w := range parsed.Writes {
		t := Table{Schema: w.Table.Schema, Name: w.Table.Name, Position: e.At(w.Table.Offset)}
		if t.Schema != "" {
			uses = append(uses, Use{Table: t, Access: Access{Insert: w.Insert, Update: w.Update, Delete: w.Delete}})
		}
	}
	return uses
}

// afterDrop refuses a second end of a partition that is gone.
func (r *reader) afterDrop(steps []Step) {
	dropped := false
	for _, s := range steps {
		if dropped && (s.Drop != nil || s.Detach != nil) {
			r.add(codePartitions, s.Position, "the partition is dropped already", "Steps run in the order of the list.", `Write "drop" once, and "detach" before it.`)
		}
		dropped = dropped || s.Drop != nil
	}
}

// dropTable is an expression that names a table.
func (r *reader) dropTable(f field, s scope) (*Expr, bool) {
	if !r.written(f, "an expression that names a table") {
		return nil, false
	}
	if s.partitions {
		r.add(codePartitions, r.at(f.key), `"drop_table" is not allowed under "partitions_of"`, "It drops a table that a row names, never an attached one.", `Write "drop" for the partition itself.`)
	}
	e := r.expression(f, s)
	return e, e != nil
}

// partitionStep is detach or drop: a bare name.
func (r *reader) partitionStep(step *Step, f field, name string, s scope) bool {
	if f.value != nil && !isNull(f) {
		r.wrongKind(f, f.label(), "alone, without a value")
		return false
	}
	if !s.partitions {
		r.add(codePartitions, r.at(f.key), fmt.Sprintf("%q is allowed under \"partitions_of\" only", name), "The rows of this policy are rows of a table.", `Write "delete", or "drop_table" for a table that the row names.`)
		return false
	}
	if name == "detach" {
		step.Detach = &Detach{}
	} else {
		step.Drop = &Drop{}
	}
	return true
}
