package generator

// batchData is what the template take reads, and its steps.
type batchData struct {
	Schema, Function, Signature, Policy string
	PolicyLiteral                       literal
	Table                               sqlText
	Many                                bool // its rows lie in several tables
	Joins                               []join
	Columns                             []windowColumn
	Saved                               []saved
	Ordered                             []sqlText // the order of the batch's rows, where a step needs it
	Headers                             []headerVariables
	LockedRows                          []lockedText
	Copies                              bool
	TakesAll                            bool
	Plain                               bool // nothing but to delete the rows
	Steps                               []sqlText
	Watermark                           *markText
	// of way RANGE
	InRange    bool // steps are parts of one statement
	Cursor     []cursorColumn
	Conditions []sqlText
	Lo, Hi     sqlText   // positions
	Threshold  *ranked   // instead: the rows past the first ones of some groups
	Set        []setText // an update
	Also       []alsoText
	// of a policy on partitions
	Partitions *partitionData
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
	Type string
}

// take is <policy>_take: the steps, on the rows of a slice.
func (w *work) take() Object {
	name := w.policy.Name + "_take"
	d := batchData{
		Schema: w.schema(), Function: name, Signature: name + "(" + w.schema() + ".slice)",
		Policy: w.policy.Name, PolicyLiteral: literal(w.policy.Name),
		Table: qualified(w.table), Many: w.table.Kind == "partitioned",
		Joins: w.joins, Columns: w.columns, Saved: w.saved(),
	}
	if w.policy.Partitions {
		p := w.partitionData(name, d.Signature)
		p.Saved, d.Partitions, d.Table = d.Saved, &p, "part"
	}
	if w.inRange() {
		d.InRange = true
		p := w.passes()[0]
		if p.beyond != nil {
			d.Threshold, d.Conditions = p.beyond.inGroup, p.beyond.rowsOfGroup()
		} else {
			d.Cursor, d.Conditions = w.cursor(p), w.dueOf(p)
			d.Lo, d.Hi = position("lo", d.Cursor), position("hi", d.Cursor)
		}
		for _, g := range w.guards {
			d.Conditions = append(d.Conditions, fragment("is false", g.cond))
		}
	}
	w.addSteps(&d)
	return w.function(d.Signature, "take", d)
}

// way names how a batch takes rows, for the first line of the page.
func (w *work) way() string {
	switch {
	case w.policy.Partitions:
		return "way: PARTITIONS, one that is closed to writers and judged then"
	case w.inRange() && len(w.share()) > 0:
		return "way: RANGE, one statement a batch, what guards read is locked; LOCKED where rows are contended, refused or held"
	case w.inRange():
		return "way: RANGE, one statement a batch; LOCKED where rows are contended, refused or held"
	}
	return "way: LOCKED, rows are locked, then judged, then taken"
}

// inRange says whether a batch is one statement from one position to another.
func (w *work) inRange() bool {
	passes := w.passes()
	return !w.policy.Partitions && len(passes) == 1 && w.rangeShape(passes[0])
}

// position is one end of a slice, as values of the cursor's columns.
func position(end string, cursor []cursorColumn) sqlText {
	return fragment("position", struct {
		End    sqlText
		Cursor []cursorColumn
	}{sqlText(end), cursor})
}

// addSteps renders the steps, and what they ask of the statements before them.
func (w *work) addSteps(d *batchData) {
	if d.InRange {
		d.Also = w.alsoTexts(*d)
		if s := w.policy.Then[0]; s.Update != nil {
			d.Set = w.setTexts(w.steps()[0], s.Update.Set, w.table, "t", false)
		}
		return
	}
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
	d.Copies = w.copies()
	d.TakesAll = !w.policy.Partitions && !w.deletes() && !w.updates()
	if w.policy.Partitions {
		return
	}
	p := w.passes()[0]
	d.Plain = w.plainDelete(*d) && (p.clock == nil || p.clock.mark == "")
	if w.numbered {
		for _, c := range w.cursor(p) {
			d.Ordered = append(d.Ordered, c.Expr)
		}
	}
	if p.clock != nil && p.clock.mark != "" {
		d.Watermark = &markText{w.watermark(p.clock.source.Watermark), p.clock.upTo, p.clock.typ}
	}
}

// plainDelete says whether the steps are one DELETE of a table's rows by their place.
func (w *work) plainDelete(d batchData) bool {
	steps := w.steps()
	if len(steps) != 1 || d.Many || len(d.Saved) > 0 {
		return false
	}
	s := steps[0]
	return s.Delete != nil && s.Related == nil && s.Where == nil && w.ownRows(s, d).Direct
}
