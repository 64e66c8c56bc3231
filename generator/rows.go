package generator

import (
	"maps"
	"slices"
)

// rowsForm is that of <policy>_rows and <policy>_take, whose only argument is a slice. It is named by its number, which
// no column of the policy's tables can stand before.
func rowsForm() form {
	return form{stored: true, now: "($1).as_of", olderThan: "($1).older_than", scope: "($1).scope"}
}

// rowsData is what the template rows reads.
type rowsData struct {
	countData
	PolicyLiteral literal
	Row           sqlText // the whole row
}

// rows is <policy>_rows: which rows there are, and what keeps each of them.
func (w *work) rows() Object {
	name := w.policy.Name + "_rows"
	d := rowsData{countData: w.judgedData(name, w.rowsSignature()), PolicyLiteral: literal(w.policy.Name), Row: "t"}
	if w.table.Column("t") != nil { // a column comes before the row
		d.Row = "t.*::" + qualified(w.table)
	}
	return w.forPeople(w.function(name+"("+w.schema()+".slice)", "rows", d))
}

func (w *work) rowsSignature() string { return w.policy.Name + "_rows(" + w.schema() + ".slice)" }

// partitionRows is the same of a policy on partitions.
func (w *work) partitionRows() Object {
	name := w.policy.Name + "_rows"
	d := w.partitionData(name, w.rowsSignature())
	return w.forPeople(w.function(d.Signature, "rows_partitions", d))
}

// rowFacts is what the registry says of a policy's rows, for retention.facts and retention.preview: SQL over the
// policy's table as t and a slice as $1. What is "" is not asked.
type rowFacts struct {
	Clock    string // of one row; "" where a row has several, or one of another table
	Value    string // of one row, as it is shown, where clocks are asked for
	From     string
	NoClock  string            // rows that have none
	TooFar   string            // rows whose clock lies far ahead
	InTime   string            // those whose clock does not
	Archives map[string]string // the column with the number of the run
}

// facts is the policy's, as the registry has it.
func (w *work) facts() sqlText {
	f := rowFacts{Archives: w.factsArchives()}
	if w.policy.Partitions {
		f.Clock = "d.upper"
		if keyType(w.partitionedOf(w.policy).key) == "uuid" {
			f.Clock += "::text" // there is no min(uuid)
		}
	} else if len(w.clocks) == 1 && w.clocks[0] != nil && w.clocks[0].own {
		f.Clock = plainText(w.clocks[0].expr)
		if w.clocks[0].typ == "uuid" {
			f.Clock = plainText(fragment("as text", w.clocks[0].expr))
		}
	}
	w.factsOfClock(&f)
	return f.sql()
}

// factText is one of the facts, as a name and SQL.
type factText struct{ Name, Text literal }

func (f rowFacts) sql() sqlText {
	var list []factText
	for _, t := range []factText{{"clock", literal(f.Clock)}, {"value", literal(f.Value)}, {"from", literal(f.From)}, {"no_clock", literal(f.NoClock)}, {"too_far", literal(f.TooFar)}, {"in_time", literal(f.InTime)}} {
		if t.Text != "" {
			list = append(list, t)
		}
	}
	var archives []factText
	for _, name := range slices.Sorted(maps.Keys(f.Archives)) {
		archives = append(archives, factText{literal(name), literal(f.Archives[name])})
	}
	return fragment("facts", struct{ Texts, Archives []factText }{list, archives})
}

// plainText is laid out, on one line.
func plainText(text sqlText) string { return oneLine(layout(string(text))) }
