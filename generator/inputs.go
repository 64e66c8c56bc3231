package generator

// inputs are the SQL of the values that an expression gets from the place where it is evaluated.
type inputs struct {
	asOf      sqlText
	runID     sqlText // run.id
	runReason sqlText // run.reason
	olderThan sqlText // the window that operators have set
	// a run provides the scope of its job, the rows of joins and the values of up_to
	ofRun bool
}

// inRun are the inputs of functions that runs call. Their only argument is a batch_range. The
// argument is written by its number, because no column of the policy's tables can hide a number.
var inRun = inputs{"($1).as_of", "($1).run_id", "($1).reason", "($1).older_than", true}

// beforeRun are the inputs of functions that say what a run would do. There is no run yet.
var beforeRun = inputs{inRun.asOf, "NULL::bigint", "NULL::text", inRun.olderThan, true}

// outsideRun returns the inputs of SQL that has no batch_range.
func outsideRun(asOf sqlText) inputs {
	return inputs{asOf, "NULL::bigint", "NULL::text", "NULL", false}
}

// runValue returns the SQL of run.id or run.reason.
func (i inputs) runValue(name string) sqlText {
	if name == "id" {
		return i.runID
	}
	return i.runReason
}
