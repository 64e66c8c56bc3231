package generator

import (
	"slices"

	"pgretain/internal/quote"
	"pgretain/policy"
)

// partitionData is what the templates of a policy on partitions read besides what all batches and
// counts need.
type partitionData struct {
	batchData
	KeyType, ValueType string
	Relation           literal // the table, to be read as regclass
	Alter              string  // the function that changes partitions
	AsOf               sqlText
	Ranks              []*ranked
	Guards             []countGuard
	Clock              sqlText
	Due                []sqlText
	SearchPath         []ident
	Zone               literal
	TableMessage       string
}

// partitionData fills in what all functions of the policy say alike.
func (w *work) partitionData(function, signature string) partitionData {
	t := w.partitionedOf(w.policy)
	d := partitionData{KeyType: keyType(t.key), Relation: literal(quote.Qualified(t.table.Schema, t.table.Name)),
		Alter: w.alterName(), AsOf: w.asOf, Clock: "c.upper"}
	if t.value != nil {
		d.ValueType = keyType(t.value)
	}
	if d.KeyType == "uuid" {
		d.Clock = fragment("as text", d.Clock) // there is no min(uuid)
	}
	d.batchData = batchData{
		Schema: w.schema(), Function: function, Signature: signature, Policy: w.policy.Name,
		PolicyLiteral: literal(w.policy.Name), Table: "part", Joins: w.joins, Columns: w.columns,
	}
	d.TableMessage, d.SearchPath, d.Zone = messageName(t.table), w.searchPath(), literal(w.file.Install.TimeZone)
	w.partitionVerdict(&d)
	return d
}

// partitionVerdict fills in when a partition is due and what keeps it.
func (w *work) partitionVerdict(d *partitionData) {
	place := func(r *ranked) {
		among := *r
		among.Table, among.Rows = "part", append([]sqlText{"NOT t.detaching", fragment("has an end", nil)}, r.Rows...)
		among.Order = append([]orderItem{{Expr: fragment("has no beginning", nil)}}, r.Order...)
		d.Ranks = append(d.Ranks, &among)
	}
	for _, g := range w.guards {
		kept := countGuard{Name: literal(g.name)}
		if g.rank != nil {
			place(g.rank)
			kept.Kept = fragment("place within", g.rank)
		} else {
			kept.Kept = fragment("not false", g.cond)
		}
		d.Guards = append(d.Guards, kept)
	}
	for _, r := range w.beyonds {
		if r != nil {
			place(r)
		}
	}
	d.Due = append([]sqlText{"t.upper IS NOT NULL", "NOT t.newest"}, w.anyDue("place beyond")...)
}

// takeAway is the step that detaches or drops the partition; "drop" detaches unless a step before
// it did.
func (w *work) takeAway(s step) sqlText {
	d := struct {
		Schema, Alter, Action string
		Counts                bool
	}{w.schema(), w.alterName(), "detach", true}
	if s.Drop != nil {
		d.Action = "drop"
		d.Counts = !slices.ContainsFunc(w.policy.Then[:s.number-1], func(s policy.Step) bool { return s.Detach != nil })
	}
	return stepText("step_partition", d)
}

func (w *work) alterName() string { return w.policy.Name + "_partition" }

// alterPartition is the function that does what only the table's owner may do. The migrating role
// owns it: the owner of the other functions cannot be a member of a role that is its own member.
func (w *work) alterPartition() Object {
	name := w.alterName()
	d := struct {
		partitionData
		TableComment string
	}{w.partitionData(name, name+"(oid, text)"), comment(tableName(w.table))}
	return w.asMigrator(w.function(d.Signature, "alter_partition", d))
}
