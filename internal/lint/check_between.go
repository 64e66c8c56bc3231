package lint

var _ = register("L009", "a BETWEEN that nothing is in", checkBetween)

// checkBetween warns of bounds in the wrong order.
func checkBetween(l *linter) {
	for _, j := range l.judging() {
		for _, c := range l.slips(j.expr) {
			if c.Between {
				l.slip(j, finding{at: j.expr.At(c.Offset),
					message: "nothing is between these bounds",
					detail:  "The lower bound of BETWEEN stands first, and this one is above the other.",
					hint:    "Exchange the bounds."})
			}
		}
	}
}
