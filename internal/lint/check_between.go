package lint

var _ = register("L009", "a BETWEEN that nothing is in", checkBetween)

// checkBetween warns of bounds in the wrong order.
func checkBetween(l *linter) {
	for _, e := range l.judging() {
		for _, c := range l.slips(e) {
			if c.Between {
				l.warn(finding{at: e.At(c.Offset),
					message: "nothing is between these bounds",
					detail:  "The lower bound of BETWEEN stands first, and this one is above the other.",
					hint:    "Exchange the bounds."})
			}
		}
	}
}
