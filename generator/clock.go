package generator

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"pgretain/internal/catalog"
	"pgretain/internal/pgparse"
	"pgretain/policy"
)

// clock is a policy's clock on the alias t: its SQL, its type and what bounds it.
type clock struct {
	expr       sqlText
	typ        string  // of the cutoffs
	conversion string  // the fragment by which an instant becomes one, "" for as it is
	own        bool    // reads the row's own columns only
	column     string  // "" for an expression
	indexed    sqlText // what an index on it would index, "" when none can be
	latest     sqlText // the latest of the cutoffs: the end of the range; "" for a position without a ceiling
	tiered     sqlText // the cutoff of a row where not all have the same, else ""
	tiersOwn   bool
	upTo       sqlText // the greatest value that may be due, "" for none
	mark       sqlText // values up to this one have been worked off, "" for no watermark
	key        sqlText // whether a value is a key of the encoding at all: others have no instant; "" where all are
	since      sqlText // values below encode an instant that cannot be meant; "" without an encoding
	source     *policy.Clock
}

// clockOf compiles a clock; number tells the cutoffs of several clocks apart.
func (w *policyCompiler) clockOf(source *policy.Clock, number int) *clock {
	k := &clock{source: source, own: true, tiersOwn: true}
	if k.typ = w.clockColumn(k, source); k.typ == "" {
		return nil
	}
	if source.Kind != "position" {
		if k.conversion, k.typ = w.clockConversion(source, k.typ); k.typ == "" {
			return nil
		}
		if kind := source.Encoding.Kind; !w.policy.Partitions && (kind == "uuidv7" || kind == "ulid" && k.typ == "text") {
			k.key = fragment("a "+kind, k.expr)
		}
		if source.Encoding.Kind != "" {
			k.since = w.converted(k, earliest(source))
		}
	}
	if source.UpTo != nil {
		k.upTo = w.ceiling(k, number, w.inRun)
	}
	if source.Kind != "position" {
		w.compileWindow(k, number)
	} else if source.Watermark != nil {
		k.mark = fragment("watermark", w.watermark(source.Watermark, k.typ))
	}
	return k
}

// clockColumn fills in where the clock is read and returns its type, "" when that is not known.
func (w *policyCompiler) clockColumn(k *clock, source *policy.Clock) string {
	if source.Expression != nil {
		return w.clockExpression(k, *source.Expression)
	}
	column := w.knownColumn(w.table, source.Column, source.ColumnPos)
	if column == nil {
		return ""
	}
	if source.Encoding.Kind == "ulid" && !slices.Contains([]string{"", `"C"`, `"POSIX"`, "ucs_basic"}, column.Collation) {
		w.refuse(source.ColumnPos, codeClockType, fmt.Sprintf("a ULID does not sort by time with collation %s", column.Collation),
			fmt.Sprintf(`Run ALTER TABLE %s ALTER COLUMN %s TYPE %s COLLATE "C", and then "pgretain snapshot".`, qualified(w.table), ident(column.Name), column.Type))
		return ""
	}
	k.column, k.expr = column.Name, aliased("t", ident(column.Name))
	if !column.Virtual {
		k.indexed = sqlText(ident(column.Name).String())
	}
	return column.Plain()
}

var plainPick = regexp.MustCompile(`(?i)^\s*(coalesce|greatest|least)\s*\(\s*[a-z_][a-z0-9_]*(\s*,\s*[a-z_][a-z0-9_]*)*\s*\)\s*$`)

func (w *policyCompiler) clockExpression(k *clock, e policy.Expr) string {
	parsed := w.parse(e)
	k.expr, k.own = enclosed(w.bind(e)), ownColumnsOnly(parsed)
	oneType := pgparse.TypeOf(e.SQL, w.columnType) != "" // between two types the session's time zone decides
	if oneType && plainPick.MatchString(e.SQL) && w.indexable(parsed) {
		k.indexed = enclosed(sqlText(strings.TrimSpace(e.SQL)))
	}
	return w.typeOf(e, "timestamptz")
}

// clockTypes are the types of cutoffs by those of clocks. No "real": it tells instants only 128 seconds apart, and would be
// another value once it was compared with a double precision one.
var clockTypes = map[string]string{
	"timestamp with time zone": "timestamptz", "timestamp without time zone": "timestamp", "date": "date", "uuid": "uuid",
	"smallint": "bigint", "integer": "bigint", "bigint": "bigint", "numeric": "numeric", "double precision": "double precision",
	"text": "text", "character varying": "text", "character": "text", "bpchar": "text",
}

// clockConversion says how a cutoff becomes a value of the clock's type: the name of a fragment, which there is where that
// can be, and the type of the variable.
func (w *policyCompiler) clockConversion(source *policy.Clock, columnType string) (conversion, typ string) {
	kind, typ := source.Encoding.Kind, clockTypes[catalog.Unsized(columnType)]
	encoded := "as " + kind + " " + typ
	switch {
	case kind == "" && typ == "timestamptz":
		return "", typ
	case kind == "" && (typ == "timestamp" || typ == "date"):
		return "as " + typ, typ
	case kind != "" && set.Lookup(encoded) != nil:
		return encoded, typ
	case kind == "uuidv7" && typ == "text":
		// Text compares by its letters, and UUIDs may be written in either case.
		w.refuse(source.ColumnPos, codeClockType, fmt.Sprintf("a UUID of type %q does not sort by time", columnType),
			"Change the type of the column to uuid, or write expression: \"(column)::uuid\".")
	case kind == "":
		w.refuse(source.ColumnPos, codeClockType, fmt.Sprintf("type %q is not a date or a timestamp", columnType),
			"Write how the column stores a time, with encoding: epoch_s, epoch_ms, uuidv7, ulid or {snowflake: {shift, epoch}}.")
	default:
		w.refuse(source.Encoding.Position, codeClockType, fmt.Sprintf("encoding %q cannot be used with type %q", kind, columnType),
			"Use epoch_s or epoch_ms with numbers, snowflake with bigint, uuidv7 with uuid, ulid with uuid or text, and none with dates and timestamps.")
	}
	return "", ""
}

// defaultSince is the first day that a value of an encoded clock can mean, if the policy does not
// say. A count in another unit than the policy's is before this day or far ahead.
const defaultSince = "1990-01-01"

// earliest returns the first instant that an encoded clock can mean, as SQL. A Snowflake ID of the
// first hour of its epoch is as small as a count of seconds or milliseconds.
func earliest(k *policy.Clock) sqlText {
	at, err := time.Parse(time.DateOnly, cmp.Or(k.Since, defaultSince))
	if err != nil {
		panic(err) // the reader of the file has parsed it
	}
	first := time.UnixMilli(k.Encoding.Epoch).Add(time.Hour)
	if k.Encoding.Kind == "snowflake" && k.Since == "" && first.After(at) {
		at = first
	}
	typ := "timestamptz"
	if strings.HasPrefix(k.Encoding.Kind, "epoch") {
		typ = "timestamp" // of which the server takes the epoch when it plans
	}
	text := at.UTC().Format("2006-01-02 15:04:05.999")
	if typ == "timestamptz" {
		text += "+00"
	}
	return fragment("instant", fields{"Type": sqlText(typ), "At": literal(text)})
}

// none is when a row has no instant, and a window and an up_to that are not NULL: with these no row is due.
func (k *clock) none() []sqlText {
	none := []sqlText{fragment("is null", k.expr)}
	if k.key != "" {
		none[0] = fragment("is not true", k.key)
	}
	for _, limit := range []sqlText{k.tiered, k.upTo} {
		if limit != "" {
			none = append(none, fragment("is not null", limit))
		}
	}
	return none
}

// bounds are the conditions that an index on the clock serves.
func (k *clock) bounds() []sqlText {
	bounds := slices.Concat(k.limited("not before", k.since), k.limited("older", k.latest), k.limited("up to", k.upTo),
		k.limited("newer", k.mark))
	if len(bounds) == 0 {
		return []sqlText{fragment("is not null", k.expr)}
	}
	return bounds
}

// exact is when the clock says that a row is due, for a pass that leaves rows without an instant to another one.
func (k *clock) exact() []sqlText {
	exact := append(k.bounds(), k.limited("older", k.tiered)...)
	if k.key != "" {
		exact = append(exact, k.key)
	}
	return exact
}

// limited compares the clock with a limit, if there is one.
func (k *clock) limited(comparison string, limit sqlText) []sqlText {
	if limit == "" {
		return nil
	}
	return []sqlText{fragment(comparison, k.comparison(limit))}
}

func (k *clock) comparison(cutoff sqlText) fields {
	return fields{"Clock": k.expr, "Cutoff": cutoff, "Inclusive": k.source.Inclusive}
}

// ceilingName is the name under which a run keeps the value of up_to.
func ceilingName(number int) literal { return literal(fmt.Sprintf("up_to_%d", number)) }

// ceiling is the value of up_to. It is read once per run; functions that no run calls read it themselves.
func (w *policyCompiler) ceiling(k *clock, number int, stored bool) sqlText {
	name := "query value"
	if stored {
		name = "stored value"
	}
	typ := castType(k.typ)
	return fragment(name, fields{"Query": w.bindQuery(*k.source.UpTo, false), "Name": ceilingName(number), "Type": sqlText(typ),
		"Whole": slices.Contains([]string{"smallint", "integer", "bigint"}, typ)})
}

// watermark is what templates read of the watermark of a position of some type.
func (w *policyCompiler) watermark(m *policy.Watermark, typ string) fields {
	d := fields{"Table": quotedTable(m.Table), "Column": ident(m.Column), "Where": sqlText("")}
	table := w.relation(m.Table)
	if table == nil {
		return d
	}
	if column := w.knownColumn(table, m.Column, m.Position); column != nil && narrows(typ, column.Plain()) {
		w.refuse(m.Position, codeNarrow, fmt.Sprintf("column %q of %q has type %s, which cannot store all positions of type %s", m.Column, m.Table, column.Type, typ),
			fmt.Sprintf("Change the type of the column to %s. Otherwise runs skip rows between a position and its rounded value.", typ))
	}
	defer w.restored()()
	w.binder.table = table
	d["Where"] = w.optional(m.Where)
	return d
}

// tier is one branch of the CASE over a window's tiers.
type tier struct{ When, Cutoff sqlText }

// namedValue is a value with a name, as a column that a FROM clause gives.
type namedValue struct{ Name, Value sqlText }

// compileWindow makes one cutoff per tier, and the latest of them, which ends the range.
func (w *policyCompiler) compileWindow(k *clock, number int) {
	var tiers []tier
	var latest []sqlText
	for i, t := range k.source.Window.Tiers {
		cutoff, bound := w.tierCutoff(k, t, fmt.Sprintf("%d_%d", number, i+1))
		if bound != "" {
			latest = append(latest, bound)
		}
		k.tiersOwn = k.tiersOwn && (t.When == nil || w.readsOwnColumns(*t.When))
		tiers = append(tiers, tier{w.optional(t.When), cutoff})
	}
	if len(latest) == 0 { // never: a CASE of nothing but NULL would be a text
		k.latest = sqlText("NULL::" + k.typ)
		k.tiered = k.latest
		return
	}
	k.latest = latest[0]
	if len(latest) > 1 {
		k.latest = fragment("greatest", latest)
	}
	switch {
	case len(tiers) > 1 || tiers[0].When != "":
		k.tiered = fragment("case", tiers)
	case tiers[0].Cutoff != k.latest:
		k.tiered = tiers[0].Cutoff
	}
}

// tierCutoff is the cutoff of one tier, and the latest that it can be; "NULL" and "" for never.
func (w *policyCompiler) tierCutoff(k *clock, t policy.Tier, number string) (cutoff, bound sqlText) {
	switch {
	case t.Never:
		return "NULL", ""
	case t.Data != nil && t.Data.Value != nil:
		return w.dataCutoff(k, t.Data, number)
	case t.Data != nil:
		cutoff = w.converted(k, w.settableCutoff(*t.Data))
	default:
		cutoff = w.converted(k, w.cutoffBefore(t.Interval))
	}
	return cutoff, cutoff
}

// settableCutoff is the cutoff of a constant, or of what NULL means, which may be set at run time where
// the window has a lower bound.
func (w *policyCompiler) settableCutoff(d policy.WindowData) sqlText {
	if d.AtLeast == nil {
		return w.cutoffBefore(*d.Else)
	}
	olderThan := sqlText("NULL")
	if w.inRun {
		olderThan = "($1).older_than"
	}
	return fragment("cutoff of", w.inZone(fields{"OlderThan": olderThan, "Own": literal(d.Else.Text)}))
}

// checkWindow refuses an expression that gives neither an interval nor a number for a unit.
func (w *policyCompiler) checkWindow(d *policy.WindowData) {
	e, wanted, hint := *d.Value, "an interval", "Write the unit of a number, as in {days: ...}. The difference of two timestamps is an interval, that of two dates is a number of days."
	typ := pgparse.TypeOf(e.SQL, w.columnType)
	fits := slices.Contains(numberTypes, catalog.Unsized(typ))
	if d.Unit != "interval" {
		wanted, hint = "a number", "Write {interval: ...} for an interval, or an expression that returns a number."
	} else {
		typ = w.typeOf(e, "interval")
		fits = strings.HasPrefix(typ, "interval")
	}
	if typ != "" && !fits {
		w.refuse(e.Position, CodeExpression, fmt.Sprintf("the window has type %q, not %s", typ, wanted), hint)
	}
}

// dataCutoff is the cutoff of a window that an expression gives, row by row.
func (w *policyCompiler) dataCutoff(k *clock, d *policy.WindowData, number string) (cutoff, bound sqlText) {
	limit := func(i *policy.Interval) sqlText { // "" for none
		if i == nil {
			return ""
		}
		return w.cutoffBefore(*i)
	}
	w.checkWindow(d)
	data := w.inZone(fields{"Unit": sqlText(d.Unit), "ZeroDue": d.AtLeast != nil && d.AtLeast.Zero(),
		"Else": sqlText("NULL"), "AtLeast": limit(d.AtLeast), "AtMost": limit(d.AtMost),
		"Value": w.windowValue(k, *d.Value, number), "Never": each(d.NeverValues, w.bind)})
	if d.Else != nil {
		data["Else"] = w.settableCutoff(*d)
	}
	bound = w.converted(k, cmp.Or(limit(d.AtLeast), w.asOf))
	return enclosed(w.converted(k, fragment("cutoff from data", data))), bound
}

var plainColumn = regexp.MustCompile(`^(\(?)[a-z_][a-z0-9_]*\.[a-z_][a-z0-9_]*\)?$`)

// windowValue is the value of a window's expression: as it is where it reads the row only, otherwise
// a column that the FROM clause gives, so that it is computed once a row.
func (w *policyCompiler) windowValue(k *clock, e policy.Expr, number string) sqlText {
	bound := enclosed(w.bind(e))
	if w.readsOwnColumns(e) {
		return bound
	}
	k.tiersOwn = false
	if plainColumn.MatchString(string(bound)) {
		return bound
	}
	name := sqlText("v_window_" + number)
	w.columns = append(w.columns, namedValue{name, bound})
	return name + ".value"
}

// inZone adds what counting of days asks for.
func (w *policyCompiler) inZone(d fields) fields {
	d["Schema"], d["AsOf"], d["Zone"] = sqlText(w.schema()), w.asOf, w.zone()
	return d
}

func (w *policyCompiler) zone() literal { return literal(w.file.Install.TimeZone) }

// cutoffBefore is the instant that lies an interval before as_of.
func (w *policyCompiler) cutoffBefore(i policy.Interval) sqlText {
	return fragment("cutoff", w.inZone(fields{"Window": literal(i.Text)}))
}

// converted is an instant as a value of the clock's type.
func (w *policyCompiler) converted(k *clock, instant sqlText) sqlText {
	if k.conversion == "" {
		return instant
	}
	return fragment(k.conversion, w.inZone(fields{"Cutoff": instant, "Inclusive": k.source.Inclusive,
		"Epoch": k.source.Encoding.Epoch, "Shift": k.source.Encoding.Shift}))
}
