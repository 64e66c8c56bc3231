package generator

import (
	"slices"
)

// batchData is what the templates of the batch shapes read.
type batchData struct {
	Schema, Function, Signature, Policy, What, Locked string
	Shape                                             sqlText
	PolicyLiteral, Comment                            literal
	TableMessage                                      string
	SearchPath                                        []ident
	Zone                                              literal
	Table                                             sqlText
	Many                                              bool
	Cutoffs                                           []cutoff
	Cursor                                            []cursorColumn
	Several                                           bool
	Started                                           bool // the run has a position already
	Range, Filter, Due                                []sqlText
	Along                                             []sqlText // Range without the clock
	Until                                             []sqlText // the clock's ends, on the boundary x
	Probe                                             []sqlText // what a row that is due meets, for an index
	Joins                                             []join
	Columns                                           []windowColumn
	Held                                              heldText
	Guards                                            []guardText
	Places                                            []places
	Elsewhere                                         []sqlText // rows that another pass counts as kept
	Saved                                             []saved
	Ordered                                           []sqlText // the order of the batch's rows, where a step needs it
	Headers                                           []headerVariables
	LockedRows                                        []lockedText
	Copies                                            bool
	TakesAll                                          bool
	Steps                                             []sqlText
	Scopes                                            []scopeText
	Watermark                                         *markText
	Set                                               []setText // shape RANGE: an update
	InRange                                           bool      // shape RANGE: steps are parts of one statement
	Also                                              []alsoText
	Names, After, Boundary, InBatch, AtBoundary       sqlText // what a pass by clock or key looks at; see bounded
	// of a pass by rank
	First     int64
	Count     *countText
	WithTies  bool
	Pass      int
	Keys      []groupKey
	GroupRows []sqlText
	Order     []orderItem
	RankOrder []orderItem
}

// headerVariables holds the header rows that a step inserted.
type headerVariables struct {
	Name sqlText
	Type sqlText
}

// markText is a watermark with the values that it may take.
type markText struct {
	watermarkData
	UpTo sqlText // "" for none
}

// guardText is one guard in a CASE.
type guardText struct {
	Kept sqlText
	Name literal
}

// places is the relation of rows that a rank spares or takes, for the groups of a batch.
type places struct {
	Name   sqlText
	Keys   []groupKey
	Places sqlText
}

// batchSignature is a batch function's: it is called with what it may take.
func (w *work) batchSignature(name string) string { return name + "(" + w.schema() + ".batch_input)" }

func (w *work) batch(p pass, function string) batchData {
	bounds, filters := w.rangeOf(p)
	d := batchData{
		Schema: w.schema(), Function: function, Signature: w.batchSignature(function),
		Policy: w.policy.Name, PolicyLiteral: literal(w.policy.Name), What: w.what(p),
		TableMessage: messageName(w.table),
		SearchPath:   w.searchPath(), Zone: literal(w.file.Install.TimeZone),
		Table: qualified(w.table), Many: w.table.Kind == "partitioned",
		Cursor: w.cursor(p), Range: bounds, Filter: filters, Due: w.dueOf(p),
		Joins: w.joins, Columns: w.columns, Held: w.heldText(true),
		Guards: w.guardTexts("among places"), Places: w.placesOf(p), Saved: w.saved(), Pass: p.number,
	}
	d.Several = len(d.Cursor) > 1
	if p.clock != nil && !p.nulls && w.byClock(p) {
		d.Along, d.Until = bounds[len(p.clock.ends()):], p.clock.until()
	}
	d.Probe = bounds
	if p.byKey && !p.nulls {
		d.Probe = append(p.clock.bounds(), bounds...)
	}
	if p.clock != nil {
		d.Cutoffs = p.clock.cutoffs
	}
	d.Scopes = w.scopeTexts()
	w.addSteps(&d, p)
	if p.beyond != nil {
		// Batches skip the rows that they passed by: ties must not change places between them.
		d.First, d.Order, d.Keys = p.beyond.First, w.withKey(p.beyond.inGroup.Order), p.beyond.Keys
		d.Count, d.WithTies, d.RankOrder = p.beyond.Count, p.beyond.WithTies, p.beyond.inGroup.Order
		d.GroupRows = p.beyond.rowsOfGroup()
	}
	return d
}

// bounded renders once what several statements of a batch say, where its position decides.
func (d *batchData) bounded() {
	d.Names = fragment("cursor names", d)
	d.After = fragment("after position", d)
	d.Boundary, d.InBatch = fragment("boundary", d), fragment("in batch", d)
	d.AtBoundary = fragment("at boundary", d)
}

// addSteps renders the steps, and what they ask of the statements before them.
func (w *work) addSteps(d *batchData, p pass) {
	w.numbered = false
	for _, s := range w.steps() {
		d.Steps = append(d.Steps, w.render(s, *d))
		if s.Insert != nil && s.Insert.As != "" {
			d.Headers = append(d.Headers, headerVariables{headerVariable(s), quotedTable(s.Insert.Into)})
		}
		if w.locksRelated(s) && w.lockedBy(s).number == s.number {
			d.LockedRows = append(d.LockedRows, w.lockedText(s))
		}
	}
	if w.numbered {
		for _, c := range d.Cursor {
			d.Ordered = append(d.Ordered, c.Expr)
		}
	}
	d.Copies = w.copies()
	d.TakesAll = !w.deletes() && !w.updates()
	if w.rangeShape(p) {
		d.Also = w.alsoTexts(*d)
	}
	if s := w.policy.Then[0]; s.Update != nil && w.rangeShape(p) {
		d.Set = w.setTexts(w.steps()[0], s.Update.Set, w.table, "t", false)
	}
	if p.clock != nil && p.clock.mark != "" {
		d.Watermark = &markText{w.watermark(p.clock.source.Watermark), p.clock.upTo}
	}
}

// guardTexts lists the guards in YAML order; rank is the fragment that says a rank spares a row.
func (w *work) guardTexts(rank string) []guardText {
	var texts []guardText
	for _, g := range w.guards {
		text := guardText{Name: literal(g.name)}
		if g.rank != nil {
			text.Kept = fragment(rank, g.rank)
		} else {
			text.Kept = fragment("not false", g.cond)
		}
		texts = append(texts, text)
	}
	return texts
}

func (w *work) placesOf(p pass) []places {
	var list []places
	for _, g := range w.guards {
		if g.rank != nil {
			list = append(list, g.rank.places())
		}
	}
	if p.beyond != nil {
		list = append(list, p.beyond.places())
	}
	return list
}

func (r *ranked) places() places {
	return places{r.Name, r.Keys, r.firstPlaces()}
}

// countElsewhere leaves to another pass which of the rows that are due by several entries it counts as kept:
// to the first entry without a rank, whose condition costs nothing, else to the first.
func (w *work) countElsewhere(d *batchData, p pass) {
	d.Cutoffs = slices.Clone(d.Cutoffs)
	for i := range w.clocks {
		k, r := w.clocks[i], w.beyonds[i]
		before := r == nil && p.beyond != nil || (r == nil) == (p.beyond == nil) && i < p.entry
		if !before {
			continue
		}
		var due []sqlText
		if k != nil {
			due, d.Cutoffs = k.condition(), append(d.Cutoffs, k.cutoffs...)
		}
		if r != nil {
			due, d.Places = append(append(due, r.Rows...), fragment("not among places", r)), append(d.Places, r.places())
		}
		d.Elsewhere = append(d.Elsewhere, every(due))
	}
}
