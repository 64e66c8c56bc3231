package generator

import "slices"

// closed are the kinds to whose privileges retention._close() sees. An archive is a table of the
// application, and has what its tables have.
var closed = []Kind{KindType, KindTable, KindUpgrade, KindFunction, KindProcedure, KindView, KindPolicy}

// closing is the last statement of a way that creates such objects: until it commits, nobody sees them.
func closing(l tool, p part, actions []action, opt NextOptions) string {
	creates := slices.ContainsFunc(actions, func(a action) bool { return a.verb == verbPut && slices.Contains(closed, a.object.Kind) })
	if !creates || opt.home == "" || p.noTransaction {
		return ""
	}
	return execute("close.sql.tmpl", map[string]string{"Schema": opt.home})
}
