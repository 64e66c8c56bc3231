package generator

import "slices"

// given are the kinds to which default privileges would add others than the object names. An archive
// is a table of the application, and has what its tables have.
var given = []Kind{KindType, KindTable, KindFunction, KindProcedure, KindView, KindPolicy}

// holdBack is what stands around the blocks of a way that creates such objects: what the default
// privileges of the roles that create them give to others is taken back before, and given again after.
func holdBack(l tool, p part, actions []action, opt NextOptions) (before, after string) {
	data := struct {
		Schema literal
		Roles  []literal
	}{}
	if slices.ContainsFunc(actions, func(a action) bool { return a.verb == verbPut && slices.Contains(given, a.object.Kind) }) {
		data.Schema = literal(opt.home)
	}
	if !opt.Roles.None {
		data.Roles = []literal{literal(opt.Roles.Owner), literal(opt.Roles.Runner)}
	}
	if data.Schema == "" || p.noTransaction {
		return "", ""
	}
	return "\n" + l.framedText(execute("hold_back.sql.tmpl", data)), "\n" + l.framedText(execute("give_back.sql.tmpl", nil))
}

// framedText is one statement as the tool wants it.
func (l tool) framedText(text string) string {
	if !l.framed {
		return text
	}
	return beginLine + "\n" + text + endLine + "\n"
}
