package lint

var _ = register("L008", "a comparison with NULL", checkNullCompared)

// checkNullCompared warns of x = NULL, which is NULL for every x.
func checkNullCompared(l *linter) {
	for _, e := range l.judging() {
		for _, c := range l.slips(e) {
			if c.Null {
				l.warn(finding{at: e.At(c.Offset),
					message: "a comparison with NULL is never true and never false",
					detail:  "As \"where\" it lets no row through, as a guard it spares every row.",
					hint:    "Write IS NULL or IS NOT NULL."})
			}
		}
	}
}
