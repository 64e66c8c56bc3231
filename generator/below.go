package generator

// lockedBelow are the tables that foreign keys lead to from deletes of the policy: while holds are in force, their rows
// are locked before the rows above them go, so that nobody moves a held row below them meanwhile.
func (w *work) lockedBelow() []string {
	var names []string
	for _, name := range w.deletedTables() {
		if table := w.tableNamed(name); table != nil {
			for _, path := range w.cascadePaths(table) {
				names = with(names, w.root(path[len(path)-1].Table))
			}
		}
	}
	return names
}
