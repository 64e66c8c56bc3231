package lint

import (
	"fmt"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
)

var _ = register("L034", "a clock that no index can hold", checkClockZone)

// checkClockZone warns of a clock that is a column under a cast which depends on the time zone of the
// session, where the column itself would do.
func checkClockZone(l *linter) {
	for _, p := range l.file.Policies {
		table := l.rowOf(p).table
		if table == nil || p.Due == nil {
			continue
		}
		for _, entry := range p.Due.Entries {
			if entry.Clock == nil || entry.Clock.Expression == nil {
				continue
			}
			cast := pgparse.CastColumn(entry.Clock.Expression.SQL)
			column := table.Column(cast.Column)
			if column == nil || !catalog.ZoneDecides(*column, catalog.Column{Type: spelledOut[cast.Cast]}) {
				continue
			}
			l.warn(finding{at: entry.Clock.ColumnPos, policy: p.Name,
				message: fmt.Sprintf("no index can hold the clock %q", entry.Clock.Expression.SQL),
				detail: fmt.Sprintf("The column is of type %q, and what the cast makes of it depends on the time zone, so that PostgreSQL "+
					"lets no index hold it and a run looks at all rows.", column.Type),
				hint: fmt.Sprintf("Write \"column: %s\".", column.Name)})
		}
	}
}

// spelledOut are the types for times as the snapshot has them.
var spelledOut = map[string]string{"date": "date", "timestamp": "timestamp without time zone", "timestamptz": "timestamp with time zone"}
