package lint

var _ = register("L008", "a comparison with NULL", checkNullCompared)

// checkNullCompared warns of x = NULL, which is NULL for every x.
func checkNullCompared(l *linter) {
	for _, j := range l.judging() {
		for _, c := range l.slips(j.expr) {
			if c.Null {
				l.slip(j, finding{at: j.expr.At(c.Offset),
					message: "a comparison with NULL is never true and never false",
					detail:  "As \"where\" it lets no row through, as a guard it spares every row.",
					hint:    "Write IS NULL or IS NOT NULL."})
			}
		}
	}
}
