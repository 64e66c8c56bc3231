package generator

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgretain/internal/catalog"
	"pgretain/internal/diag"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/internal/pgparse"
	"pgretain/internal/quote"
	"pgretain/policy"
)

// application returns the functions of a policy that applications call. In these functions, as_of
// is a variable.
func (w *policyCompiler) application() []draft {
	w = w.with(outsideRun("v_as_of"))
	var objects []draft
	if w.policy.Claim != nil {
		objects = w.claim(w.policy.Claim)
	}
	if w.policy.Touch != nil {
		objects = append(objects, w.touch(w.policy.Touch)...)
	}
	return objects
}

// callers returns the roles of "grant" that may call the functions of "claim" and of "touch".
// retention._apply_privileges grants the functions to further roles.
func (w *policyCompiler) callers() map[string][]string {
	callers := map[string][]string{"claim": names(cmp.Or(w.policy.Claim, &policy.Claim{}).Grant),
		"touch": names(cmp.Or(w.policy.Touch, &policy.Touch{}).Grant)}
	maps.DeleteFunc(callers, func(_ string, grant []string) bool { return len(grant) == 0 })
	return callers
}

// applicationNames are the variables of the functions that applications call. generatedNames are
// further variables.
var applicationNames = []string{
	"p_key", "p_keys", "p_ttl", "p_id", "v_now", "v_until", "v_expires", "v_free", "v_won", "v_key",
}

// isApplicationName reports whether a name is a variable of the functions that applications call.
// Their parameters also have names such as p_1.
func isApplicationName(name string) bool {
	number, numbered := strings.CutPrefix(name, "p_")
	return isGeneratedName(name) || slices.Contains(applicationNames, name) ||
		numbered && number != "" && strings.Trim(number, "0123456789") == ""
}

// writable returns a column that a function or step writes. If the table lacks the column, it
// reports an error and returns nil.
func (c *compiler) writable(table *catalog.Table, name string, at diag.Position, by messages.Writer) *catalog.Column {
	column := c.knownColumn(table, name, at)
	if column != nil && column.Generated {
		c.fail(by.GeneratedColumn(tableName(table), name), at)
	}
	return column
}

// written returns a column that a function writes. For a refused column it returns an empty column
// of that name. The result is discarded later.
func (w *policyCompiler) written(table *catalog.Table, name policy.Name) *catalog.Column {
	return cmp.Or(w.writable(table, name.Text, name.Position, messages.ByFunction),
		&catalog.Column{Name: name.Text})
}

// uniqueKey returns the column by which a function finds one row. The column must be unique by
// itself.
func (w *policyCompiler) uniqueKey(table *catalog.Table, key policy.Name) *catalog.Column {
	column := w.written(table, key)
	switch {
	case column.Type == "" || column.Generated: // already refused
	case strings.HasSuffix(column.Type, "[]"):
		w.fail(messages.ArrayAsKey(key.Text), key.Position)
	case !hasUnique(table, []string{key.Text}):
		w.fail(messages.KeyNotUnique(columnOf(table, key.Text)), key.Position)
	default:
		w.checkOperators(column, key.Position)
	}
	return column
}

func (w *policyCompiler) setting(list []policy.Assignment, value func(policy.Assignment) sqlText) []valueText {
	return lists.Map(list, func(a policy.Assignment) valueText {
		w.writable(w.table, a.Column, a.Position, messages.ByFunction)
		return valueText{Column: ident(a.Column), Value: value(a)}
	})
}

func setColumns(set []valueText) []string {
	return lists.Map(set, func(v valueText) string { return string(v.Column) })
}

// collated returns the COLLATE clause for the keys that a caller passes; "" if the column has no
// collation of its own. The clause makes these keys compare like the column.
func collated(key *catalog.Column) sqlText {
	if key.Collation == "" {
		return ""
	}
	return sqlText(" COLLATE " + key.Collation)
}

// castType returns a type for a cast, without length and precision. A cast to a length would cut
// values off without an error.
func castType(typ string) string {
	typ = catalog.Unsized(typ)
	switch name := strings.TrimRight(typ, "[]"); { // only for these types the bare name means length one
	case name == "character":
		return "bpchar" + strings.TrimPrefix(typ, name)
	case name == "bit":
		return `"bit"` + strings.TrimPrefix(typ, name)
	case strings.HasPrefix(name, "interval"):
		return "interval" + strings.TrimPrefix(typ, name)
	}
	return typ
}

// claim returns the functions of a deduplication set: <policy>_claim and <policy>_seen, for one key
// and for many, and the functions of its cursor.
func (w *policyCompiler) claim(c *policy.Claim) []draft {
	key := w.uniqueKey(w.table, c.Key)
	if !w.claimable(c) || w.clocks[0] == nil {
		return nil
	}
	w.refuseNames(w.table, c.Position, isApplicationName)
	d, typ := w.claimData(c, key), catalog.Unsized(key.Type)
	oneKey, manyKeys, ttl := in("p_key", typ), in("p_keys", typ+"[]"), withDefault("p_ttl", "interval", "NULL")
	one := func(suffix string, parameters ...pgparse.Parameter) function {
		return function{suffix: suffix, parameters: parameters, returns: "boolean", language: "sql"}
	}
	many := func(suffix string, parameters ...pgparse.Parameter) function {
		return function{suffix: suffix, parameters: parameters, returns: "SETOF " + typ, language: "plpgsql",
			clauses: []string{"SECURITY DEFINER"}, settings: w.keysSettings()}
	}
	var objects []draft
	for _, f := range []struct {
		function
		template string
	}{
		{many("claim", manyKeys, ttl), "claim_keys"}, {one("claim", oneKey, ttl), "claim"},
		{many("seen", manyKeys), "seen_keys"}, {one("seen", oneKey), "seen"},
	} {
		data := d
		objects = append(objects, w.applicationFunction(c.Grant, f.function, f.template, &data))
	}
	if c.Cursor != nil {
		objects = append(objects, w.cursorFunctions(c)...)
	}
	return objects
}

// claimable reports whether a policy may have "claim". It refuses a policy that does anything else
// than delete expired entries. A claim overwrites an expired entry, so other steps would not run
// for that entry.
func (w *policyCompiler) claimable(c *policy.Claim) bool {
	ttl, then := c.TTL.Tiers[0], w.policy.Then
	switch {
	case ttl.When != nil, ttl.Data != nil && ttl.Data.Value != nil:
		w.fail(messages.TTLOfExpression, c.TTL.Position)
	case len(then) != 1 || then[0].Related != nil || then[0].Where != nil || then[0].Delete == nil,
		len(then[0].Delete.Cascades) > 0:
		w.fail(messages.ClaimWithOtherSteps, c.Position)
	default:
		return true
	}
	return false
}

// claimData is the data of the templates "claim", "claim_keys", "seen" and "seen_keys".
type claimData struct {
	functionHead
	lifetime
	Table, KeyCast, Collate sqlText
	Key                     ident
	Type                    sqlText // type of the clock
	Now, Expires            sqlText // see instants
	Expired                 sqlText // condition that an entry has expired
	Set                     []valueText
	Defaults                []ident // columns that get their default when a claim takes an entry over
}

func (w *policyCompiler) claimData(c *policy.Claim, key *catalog.Column) claimData {
	clock := w.clocks[0]
	now, expires := w.instants(c, clock)
	expired := "older"
	if clock.source.NullsDue {
		expired = "older or unknown"
	}
	nowName, until := w.asOf, sqlText("v_until")
	if now != "" {
		nowName = "v_now"
	}
	if expires != "" {
		until = "v_expires"
	}
	set := append([]valueText{{Column: ident(key.Name), Value: "k.key"}, {Column: ident(clock.column), Value: until}},
		w.setting(c.Set, func(a policy.Assignment) sqlText { return w.valueFrom(a.Value, nil, "") })...)
	w.refuseMissing(w.table, setColumns(set), c.Position, messages.ByFunction)
	// A claim that reuses an expired entry does not change its primary key. So foreign keys still
	// refer to the same row.
	var defaults []ident
	for _, column := range w.table.Columns {
		if !column.Generated && !slices.Contains(append(setColumns(set), w.table.PrimaryKey...), column.Name) {
			defaults = append(defaults, ident(column.Name))
		}
	}
	return claimData{
		lifetime: timeToLive(c.TTL.Tiers[0]),
		Table:    qualified(w.table),
		Key:      ident(key.Name),
		KeyCast:  sqlText(castType(key.Type)),
		Collate:  collated(key),
		Type:     sqlText(clock.typ),
		Now:      now,
		Expires:  expires,
		Expired:  fragment(expired, clock.comparison(nowName)),
		Set:      set,
		Defaults: defaults,
	}
}

// lifetime is the default and the bounds of the time that a claim lasts.
type lifetime struct {
	TTL, AtLeast, AtMost sqlText
	TTLText              sqlText // the default, in words
	Bounded              bool
}

func timeToLive(tier policy.Tier) lifetime {
	own, atLeast, atMost, text := &tier.Interval, sqlText("NULL"), sqlText("NULL"), tier.Interval.Text
	if d := tier.Data; d != nil {
		own, atLeast, atMost, text = d.Else, intervalValue(d.AtLeast), intervalValue(d.AtMost), d.Else.Text
		if d.AtLeast != nil {
			text = "the policy's time to live"
		}
	}
	return lifetime{intervalValue(own), atLeast, atMost, sqlText(text), atLeast != "NULL" || atMost != "NULL"}
}

func intervalValue(i *policy.Interval) sqlText {
	if i == nil {
		return "NULL"
	}
	return fragment("interval", literal(i.Text))
}

// instants returns the present time and the end of the claim, both in the clock's own type. The
// entry is not due before the end of the claim. A value is "" if the clock itself is an instant.
func (w *policyCompiler) instants(c *policy.Claim, k *clock) (now, expires sqlText) {
	column := w.table.Column(k.column)
	switch {
	case column.Generated || k.conversion != "" && set.Lookup("expires "+k.conversion) == nil:
		w.fail(messages.ClaimOfClock(column.Name), c.Position)
	case k.conversion != "":
		scale := sqlText("")
		if sizes := catalog.Sizes(column.Plain()); len(sizes) == 2 && sizes[1] >= 0 && k.typ == "numeric" {
			scale = sqlText("1" + strings.Repeat("0", sizes[1]))
		}
		now = w.converted(k, w.asOf)
		expires = fragment("expires "+k.conversion, convertedExpiry{w.zone(), k.source.Inclusive, scale})
	}
	return now, toPrecision(expires, column.Plain(), k.typ)
}

// convertedExpiry is the end of a claim in the type of a clock. Scale is the power of ten that
// makes the last stored decimal place a whole number; "" if all places are stored.
type convertedExpiry struct {
	Zone      literal
	Inclusive bool
	Scale     sqlText
}

// roundedTo maps the precision of a timestamp to the difference of two values that it can store. It
// lacks the greatest precision, microseconds.
var roundedTo = map[int]sqlText{0: "1 second", 1: "100 ms", 2: "10 ms", 3: "1 ms", 4: "100 us", 5: "10 us"}

// roundedUp is a value that is rounded up to a step.
type roundedUp struct{ Value, Step sqlText }

// toPrecision rounds a value up to the column's precision. PostgreSQL would round it to the nearest
// value.
func toPrecision(value sqlText, columnType, typ string) sqlText {
	step, rounds := roundedTo[digitsOf(columnType)]
	if !rounds || typ != "timestamptz" && typ != "timestamp" {
		return value
	}
	return fragment("expires to precision", roundedUp{cmp.Or(value, "v_until"), step})
}

// cursorFunctions returns the functions <policy>_advance and <policy>_cursor.
func (w *policyCompiler) cursorFunctions(c *policy.Claim) []draft {
	table := w.tableWithRows(c.Cursor.Table)
	if table == nil {
		return nil
	}
	w.refuseNames(table, c.Cursor.Position, isApplicationName)
	key := w.uniqueKey(table, c.Cursor.Key)
	var columns []columnText
	given := []string{key.Name}
	position := []pgparse.Parameter{in("p_id", catalog.Unsized(key.Type))} // of a call
	row := slices.Clone(position)
	for i, name := range slices.Concat(c.Cursor.Columns, c.Cursor.With) {
		typ := catalog.Unsized(w.written(table, name).Type)
		if slices.Contains(given, name.Text) {
			w.fail(messages.CursorHasTwice(name.Text), name.Position)
		}
		given = append(given, name.Text)
		position, row = append(position, in(fmt.Sprintf("p_%d", i+1), typ)), append(row, column(name.Text, typ))
		columns = append(columns, columnText{sqlText(ident(name.Text).String()), sqlText(typ)})
	}
	w.refuseMissing(table, given, c.Cursor.Position, messages.ByFunction)
	d := cursorData{Table: qualified(table), Key: ident(key.Name), Columns: columns,
		Position: columns[:len(c.Cursor.Columns)], With: columns[len(c.Cursor.Columns):]}
	ofAdvance := d
	advance := function{suffix: "advance", parameters: position, returns: "boolean", language: "plpgsql",
		clauses: []string{"SECURITY DEFINER"}, settings: w.keySettings()}
	cursor := function{suffix: "cursor", parameters: row, returns: "TABLE", language: "sql",
		clauses: []string{"STABLE", "SECURITY DEFINER"}, settings: w.keySettings()}
	return []draft{w.applicationFunction(c.Grant, advance, "advance", &ofAdvance),
		w.applicationFunction(c.Grant, cursor, "cursor", &d)}
}

// cursorData is the data of the templates "advance" and "cursor". Columns are those of the position
// and further ones.
type cursorData struct {
	functionHead
	Table                   sqlText
	Key                     ident
	Columns, Position, With []columnText
}

// touchData is the data of the template "touch".
type touchData struct {
	functionHead
	Table, KeyCast, Collate sqlText
	Key                     ident
	Trim                    bool    // keys are texts, and are trimmed
	Many                    bool    // the rows are in several tables
	Order                   []ident // columns that make the order total if the key alone does not
	What                    sqlText // the columns that are set, for a comment
	Set                     []valueText
	Revive                  *revivedRow
}

// revivedRow says how a touch brings back a row that was deleted.
type revivedRow struct {
	Table, TableComment sqlText
	As                  ident
	Set                 []valueText
	KeyValue            sqlText
	Event               literal // "" if no event is written
	Also                sqlText // condition under which a row that exists is changed; "" for each row
}

// touch returns the function <policy>_touch.
func (w *policyCompiler) touch(t *policy.Touch) []draft {
	key, now := w.touchKey(t), w.asOf
	w.refuseNames(w.table, t.Position, isApplicationName)
	w.asOf = "clock_timestamp()" // read after the update has waited for a row lock, so the value never decreases
	set := w.setting(t.Set, func(a policy.Assignment) sqlText { return enclosed(w.bind(a.Value)) })
	w.asOf = now
	var order []ident
	if !hasUnique(w.table, []string{key.Name}) {
		order = identifiers(w.table.PrimaryKey)
	}
	typ := catalog.Unsized(key.Type)
	what := strings.Join(lists.Map(setColumns(set), quote.Comment), ", ")
	text := clockTypes[typ] == "text" || strings.HasSuffix(typ, "citext")
	d := &touchData{Table: qualified(w.table), Key: ident(key.Name), KeyCast: sqlText(castType(key.Type)),
		Collate: collated(key), Trim: text, Many: w.table.Kind == "partitioned", Order: order, What: sqlText(what),
		Set: set}
	if t.Revive != nil {
		d.Revive = w.revive(t, key)
	}
	touch := function{suffix: "touch", language: "plpgsql", clauses: []string{"SECURITY DEFINER"},
		settings: w.keysSettings(), parameters: []pgparse.Parameter{in("p_keys", typ+"[]"),
			output("touched", "bigint"), output("revived", "bigint")}}
	return []draft{w.applicationFunction(t.Grant, touch, "touch", d)}
}

// touchKey returns the key column of a touch. An index must find its rows. It must be unique if
// "revive" inserts rows.
func (w *policyCompiler) touchKey(t *policy.Touch) *catalog.Column {
	leads := slices.ContainsFunc(w.table.Indexes, func(i catalog.Index) bool {
		return i.Method == "btree" && i.Valid && i.Predicate == "" && len(i.Columns) > 0 && i.Columns[0] == t.Key.Text
	})
	if t.Revive == nil && leads {
		return w.written(w.table, t.Key)
	}
	return w.uniqueKey(w.table, t.Key)
}

func (w *policyCompiler) revive(t *policy.Touch, key *catalog.Column) *revivedRow {
	from := w.relation(t.Revive.Table)
	if from == nil {
		return nil
	}
	w.refuseNames(from, t.Revive.Position, isApplicationName)
	list := slices.Clone(t.Revive.Set)
	for _, a := range t.Set { // a row that is inserted again gets all values that do not read the deleted row
		reads := func(ref pgparse.ColumnRef) bool { return !isAsOf(ref) }
		if !assigned(t.Revive.Set, a.Column) && !slices.ContainsFunc(a.Value.Parsed().Columns, reads) {
			list = append(list, a)
		}
	}
	set := w.setting(list, func(a policy.Assignment) sqlText { return w.valueFrom(a.Value, from, t.Revive.As) })
	w.refuseMissing(w.table, setColumns(set), t.Revive.Position, messages.ByFunction)
	ofKey := set[slices.Index(setColumns(set), key.Name)]
	return &revivedRow{qualified(from), tableComment(from), ident(t.Revive.As), set, ofKey.Value,
		literal(t.Revive.Emit), w.optional(t.Revive.Also)}
}
