package generator

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

// rowFacts is what the registry says of a policy's rows, for retention.facts and retention._count: SQL over the
// policy's table as t and a slice as $1. What is "" is not asked.
type rowFacts struct {
	Clock    string            `json:"clock,omitempty"`    // of one row; "" where a row has several, or one of another table
	Value    string            `json:"value,omitempty"`    // as it is shown, where that is another
	At       string            `json:"at,omitempty"`       // as it is compared, where that is another
	From     string            `json:"from,omitempty"`     // with joins; "": the policy's table as t
	Where    string            `json:"where,omitempty"`    // which rows the policy is about; "": all
	Nulls    bool              `json:"nulls,omitempty"`    // rows that have no clock are counted
	Ahead    string            `json:"ahead,omitempty"`    // a clock past that lies far ahead
	Archives map[string]string `json:"archives,omitempty"` // by table, the column with the number of the run
}

// facts is the policy's, as the registry has it.
func (w *work) facts() rowFacts {
	f := rowFacts{Archives: w.factsArchives()}
	if w.policy.Partitions {
		f.Clock = "d.upper"
		if keyType(w.partitionedOf(w.policy).key) == "uuid" {
			f.Clock += "::text" // there is no min(uuid)
		}
	} else if len(w.clocks) == 1 && w.clocks[0] != nil && w.clocks[0].own {
		f.Clock = shownClock(w.clocks[0])
	}
	w.factsOfClock(&f)
	return f
}

func shownClock(k *clock) string {
	if k.typ == "uuid" {
		return plainText(fragment("as text", k.expr)) // there is no min(uuid)
	}
	return plainText(k.expr)
}

// plainText is laid out, on one line.
func plainText(text sqlText) string { return oneLine(layout(string(text))) }
