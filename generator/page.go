package generator

import (
	"slices"
	"strings"

	"pgretain/internal/quote"
	"pgretain/policy"
)

// Pages puts what belongs to one policy or report, and can be replaced without data, into one object: its
// functions, its tables for joins and its row of the registry. The page is the unit of change of a migration.
func Pages(objects []Object, roles policy.Roles) []Object {
	parts := map[string][]Object{}
	rows := map[string]bool{}
	for _, o := range objects {
		if o.Kind == KindPolicy {
			rows[o.Policy] = true
		} else if ofPage(o) {
			parts[o.Policy] = append(parts[o.Policy], o)
		}
	}
	var list []Object
	for _, o := range objects {
		switch {
		case ofPage(o) && rows[o.Policy]:
		case o.Kind == KindPolicy && len(parts[o.Policy]) > 0:
			list = append(list, page(o, parts[o.Policy], roles))
		default:
			list = append(list, o)
		}
	}
	return list
}

// ofPage says whether an object stands in its policy's page.
func ofPage(o Object) bool {
	return o.Policy != "" && (o.Kind == KindFunction || o.Kind == KindProcedure || o.Kind == KindStored)
}

// page is the row of a policy with all of its parts before it, tables first.
func page(row Object, parts []Object, roles policy.Roles) Object {
	type pagePart struct {
		SQL   sqlText
		Owner sqlText // who is to be again after the role that migrates made it, "" where nobody changes
	}
	data := struct {
		Words        []string
		Schema, Name sqlText
		Parts        []pagePart
		Row          sqlText
	}{Words: row.Words, Name: sqlText(literal(row.Name).String()), Row: sqlText(row.SQL)}
	schema, _, _ := strings.Cut(parts[0].Name, ".")
	data.Schema = sqlText(schema)
	ordered := slices.Clone(parts)
	slices.SortStableFunc(ordered, func(a, b Object) int { return tablesFirst(a) - tablesFirst(b) })
	for _, o := range ordered {
		p := pagePart{SQL: sqlText(o.SQL)}
		if o.As == AsMigrator && !roles.None {
			p.Owner = sqlText(quote.Ident(roles.Owner))
		}
		data.Parts = append(data.Parts, p)
	}
	row.SQL = execute("page.sql.tmpl", data)
	return row
}

func tablesFirst(o Object) int {
	if o.Kind == KindStored {
		return 0
	}
	return 1
}

// tablesOf are the names under which the registry knows a policy's tables for joins. Its functions are known by theirs.
func tablesOf(stored []Object) []string {
	names := []string{}
	for _, o := range stored {
		names = append(names, quotedName(o.Name))
	}
	return names
}

// quotedName is "schema.name" as SQL.
func quotedName(name string) string {
	schema, table, _ := strings.Cut(name, ".")
	return quote.Qualified(schema, table)
}

// wordsOf are the first lines of a page: a property of the policy each.
func wordsOf(sql string) []string {
	var words []string
	for line := range strings.Lines(sql) {
		text, ok := strings.CutPrefix(line, "-- ")
		if !ok {
			break
		}
		words = append(words, strings.TrimSuffix(text, "\n"))
	}
	return words
}

// withDefaults adds what a policy's page does not say, since it holds by default.
func withDefaults(said []string) []string {
	if !slices.ContainsFunc(said, func(word string) bool { return strings.HasPrefix(word, "way: ") }) {
		return said // a report
	}
	all := slices.Clone(said)
	for _, word := range defaultWords() {
		if len(sectionOf(said, word)) == 0 {
			all = append(all, word)
		}
	}
	return all
}

// Differences says in words how one page differs from another: "due.window: 7 days -> 3 days".
func Differences(before, after string) string {
	was, is := withDefaults(wordsOf(before)), withDefaults(wordsOf(after))
	var list []string
	for _, word := range was {
		name, old, _ := strings.Cut(word, ": ")
		i := slices.IndexFunc(is, func(other string) bool { return strings.HasPrefix(other, name+": ") })
		switch {
		case i < 0:
			list = append(list, "without "+word)
		case is[i] != word:
			list = append(list, name+": "+old+" -> "+strings.TrimPrefix(is[i], name+": "))
		}
	}
	for _, word := range is {
		name, _, _ := strings.Cut(word, ": ")
		if !slices.ContainsFunc(was, func(other string) bool { return strings.HasPrefix(other, name+": ") }) {
			list = append(list, "with "+word)
		}
	}
	if len(list) == 0 {
		return "the same definition, other SQL"
	}
	return strings.Join(list, "; ")
}
