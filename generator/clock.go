package generator

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgretain/internal/catalog"
	"pgretain/internal/lists"
	"pgretain/internal/messages"
	"pgretain/policy"
)

// clock is the compiled form of a policy's time column or expression. All SQL is written for alias
// t.
type clock struct {
	expr       sqlText // value that is compared with the cutoff
	typ        string  // type of the cutoff
	conversion string  // fragment that converts a timestamptz into typ; empty if none is needed
	own        bool    // expr reads only columns of the row itself
	column     string  // column name; empty if the clock is an expression
	indexed    sqlText // what an index on the clock contains; empty if no index can serve
	latest     sqlText // upper end of the range of cutoffs; empty for a position without a ceiling
	tiered     sqlText // cutoff of the current row, if rows have different cutoffs
	tiersOwn   bool    // the tiers of the window read only columns of the row itself
	upTo       sqlText // greatest value that can be due; empty if there is none
	mark       sqlText // watermark: rows up to this value are finished; empty if the policy has none
	key        sqlText // condition: the value is a valid key of the encoding; empty if every value is
	since      sqlText // lowest plausible value of the encoding; empty without an encoding
	source     *policy.Clock
}

// clockOf compiles a clock. number distinguishes the cutoffs of several clocks. It returns nil if
// it refuses the clock.
func (w *policyCompiler) clockOf(source *policy.Clock, number int) *clock {
	k := &clock{source: source, own: true, tiersOwn: true}
	if k.typ = w.clockColumn(k, source); k.typ == "" {
		return nil
	}
	if source.Kind != "position" {
		if k.conversion, k.typ = w.clockConversion(source, k.typ); k.typ == "" {
			return nil
		}
		if kind := source.Encoding.Kind; !w.policy.Partitions &&
			(kind == "uuidv7" || kind == "ulid" && k.typ == "text") {
			k.key = fragment("a "+kind, k.expr)
		}
		if source.Encoding.Kind != "" {
			k.since = w.converted(k, earliest(source))
		}
	}
	if source.UpTo != nil {
		k.upTo = w.ceiling(k, number, w.ofRun)
	}
	if source.Kind != "position" {
		w.compileWindow(k, number)
	} else if source.Watermark != nil {
		k.mark = fragment("watermark", w.watermark(source.Watermark, k.typ))
	}
	return k
}

// clockColumn sets the expression of the clock and returns its type; "" if the type is unknown or
// the clock is refused.
func (w *policyCompiler) clockColumn(k *clock, source *policy.Clock) string {
	if source.Expression != nil {
		return w.clockExpression(k, *source.Expression)
	}
	column := w.knownColumn(w.table, source.Column, source.ColumnPos)
	if column == nil {
		return ""
	}
	if source.Encoding.Kind == "ulid" && !slices.Contains([]string{"", `"C"`, `"POSIX"`, "ucs_basic"},
		column.Collation) {
		w.fail(messages.SortsByCollation(columnOf(w.table, column.Name), column.Collation, column.Type),
			source.ColumnPos)
		return ""
	}
	k.column, k.expr = column.Name, aliased("t", ident(column.Name))
	if !column.Virtual {
		k.indexed = sqlText(ident(column.Name).String())
	}
	return column.Plain()
}

// clockExpression compiles the expression of a clock and returns its type. An index can contain
// coalesce, greatest or least over columns of the table.
func (w *policyCompiler) clockExpression(k *clock, e policy.Expr) string {
	parsed := e.Parsed()
	k.expr, k.own = enclosed(w.bind(e)), ownColumnsOnly(parsed)
	oneType := parsed.Type(w.columnType) != "" // with mixed types, the session's time zone decides
	chosen := parsed.ChosenColumns()
	if oneType && len(chosen) > 0 && !slices.Contains(chosen, "as_of") && w.indexable(parsed) {
		k.indexed = enclosed(sqlText(strings.TrimSpace(e.SQL)))
	}
	return w.typeOf(e, "timestamptz")
}

// clockTypes maps the type of a clock to the type of its cutoff. Type real is missing on purpose.
// It stores instants only to 128 seconds, and it changes its value in a comparison with double
// precision.
var clockTypes = map[string]string{
	"timestamp with time zone":    "timestamptz",
	"timestamp without time zone": "timestamp",
	"date":                        "date",
	"uuid":                        "uuid",
	"smallint":                    "bigint",
	"integer":                     "bigint",
	"bigint":                      "bigint",
	"numeric":                     "numeric",
	"double precision":            "double precision",
	"text":                        "text",
	"character varying":           "text",
	"character":                   "text",
	"bpchar":                      "text",
}

// clockConversion returns the fragment that converts a cutoff into the clock's type, and the type
// of the cutoff. It refuses the clock if there is no such fragment.
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
		// Text is compared letter by letter, and UUIDs may be written in upper or lower case.
		w.fail(messages.UUIDAsText(columnType), source.ColumnPos)
	case kind == "":
		w.fail(messages.NotTime(columnType), source.ColumnPos)
	default:
		w.fail(messages.EncodingOfOtherType(kind, columnType), source.Encoding.Position)
	}
	return "", ""
}

// defaultSince is the first plausible day of an encoded clock, unless the policy sets "since". A
// value in another unit decodes to an earlier day, or to one far in the future.
const defaultSince = "1990-01-01"

// earliest returns the first plausible instant of an encoded clock, as SQL. For Snowflake IDs it is
// not in the first hour of their epoch. IDs of this hour are as small as a count of seconds or
// milliseconds.
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
		typ = "timestamp" // the planner computes the epoch of this type
	}
	text := at.UTC().Format("2006-01-02 15:04:05.999")
	if typ == "timestamptz" {
		text += "+00"
	}
	return fragment("instant", fixedInstant{sqlText(typ), literal(text)})
}

// fixedInstant is a constant of a type for times.
type fixedInstant struct {
	Type sqlText
	At   literal
}

// withoutInstant returns the conditions under which a row has no instant. The conditions also
// require that neither the window nor up_to is NULL, because otherwise no row is due.
func (k *clock) withoutInstant() []sqlText {
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

// bounds returns the conditions that an index on the clock can serve.
func (k *clock) bounds() []sqlText {
	bounds := slices.Concat(k.limited("not before", k.since), k.limited("older", k.latest), k.limited("up to", k.upTo),
		k.limited("newer", k.mark))
	if len(bounds) == 0 {
		return []sqlText{fragment("is not null", k.expr)}
	}
	return bounds
}

// exact returns the conditions under which the clock makes a row due. Rows without an instant
// belong to another pass.
func (k *clock) exact() []sqlText {
	exact := append(k.bounds(), k.limited("older", k.tiered)...)
	if k.key != "" {
		exact = append(exact, k.key)
	}
	return exact
}

// limited returns the comparison of the clock with a limit; nil if the limit is empty.
func (k *clock) limited(comparison string, limit sqlText) []sqlText {
	if limit == "" {
		return nil
	}
	return []sqlText{fragment(comparison, k.comparison(limit))}
}

// item returns the first item of an index on the clock.
func (k *clock) item() orderItem {
	item := orderItem{Expr: k.indexed, column: k.column}
	if k.source.Expression != nil {
		item.parsed = k.source.Expression.Parsed()
	}
	return item
}

func (k *clock) comparison(cutoff sqlText) comparison {
	return comparison{k.expr, cutoff, k.source.Inclusive}
}

// comparison compares a clock with a limit.
type comparison struct {
	Clock, Cutoff sqlText
	Inclusive     bool
}

// ceilingValue is a value of up_to.
type ceilingValue struct {
	Query sqlText
	Name  literal
	Type  sqlText
	Whole bool // the type stores whole numbers alone
}

// ceilingName returns the name under which a run stores the value of up_to.
func ceilingName(number int) literal { return literal(fmt.Sprintf("up_to_%d", number)) }

// ceiling returns the value of up_to as SQL. A run reads the value once. Functions that are called
// outside runs read it themselves.
func (w *policyCompiler) ceiling(k *clock, number int, stored bool) sqlText {
	name := "query value"
	if stored {
		name = "stored value"
	}
	typ := castType(k.typ)
	return fragment(name, ceilingValue{w.bindQuery(*k.source.UpTo, false), ceilingName(number), sqlText(typ),
		slices.Contains([]string{"smallint", "integer", "bigint"}, typ)})
}

// watermarkText is a watermark as templates read it. Where is "" if its table has one row.
type watermarkText struct {
	Table  sqlText
	Column ident
	Where  sqlText
}

// watermark returns the texts of a watermark. The parameter "typ" is the type of the position.
func (w *policyCompiler) watermark(m *policy.Watermark, typ string) watermarkText {
	d := watermarkText{Table: quotedTable(m.Table), Column: ident(m.Column)}
	table := w.relation(m.Table)
	if table == nil {
		return d
	}
	if column := w.knownColumn(table, m.Column, m.Position); column != nil && narrows(typ, column.Plain()) {
		w.fail(messages.NarrowWatermark(m.Table.String(), m.Column, column.Type, typ), m.Position)
	}
	inner := *w
	inner.table = table
	d.Where = inner.optional(m.Where)
	return d
}

// tier is one branch of the CASE over the tiers of a window.
type tier struct{ When, Cutoff sqlText }

// namedValue is a column with its name and its value, for a FROM clause.
type namedValue struct{ Name, Value sqlText }

// compileWindow compiles one cutoff per tier, and the latest cutoff of all tiers. The latest cutoff
// is the upper end of the range of clock values that a run reads.
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
	if len(latest) == 0 { // all tiers are "never"; a CASE with only NULL would have type text
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

// tierCutoff returns the cutoff of one tier, and the latest cutoff that any row of the tier can
// have. For a tier that is never due, it returns "NULL" and "".
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

// settableCutoff returns the cutoff for d.Else: the constant window, or the constant that replaces
// NULL. If the window has a lower bound, operators can change this constant.
func (w *policyCompiler) settableCutoff(d policy.WindowData) sqlText {
	if d.AtLeast == nil {
		return w.cutoffBefore(*d.Else)
	}
	return fragment("cutoff of", settableCutoff{w.inZone(), w.olderThan, literal(d.Else.Text)})
}

// checkWindow refuses an expression that is neither an interval nor a number with a unit.
func (w *policyCompiler) checkWindow(d *policy.WindowData) {
	e, fault := *d.Value, messages.WindowIsNoInterval
	typ := e.Parsed().Type(w.columnType)
	fits := slices.Contains(numberTypes, catalog.Unsized(typ))
	if d.Unit != "interval" {
		fault = messages.WindowIsNoNumber
	} else {
		typ = w.typeOf(e, "interval")
		fits = strings.HasPrefix(typ, "interval")
	}
	if typ != "" && !fits {
		w.fail(fault(typ), e.Position)
	}
}

// dataCutoff returns the cutoff for a window that an expression computes for each row. It also
// returns the latest cutoff that any row can have.
func (w *policyCompiler) dataCutoff(k *clock, d *policy.WindowData, number string) (cutoff, bound sqlText) {
	limit := func(i *policy.Interval) sqlText { // empty if there is no limit
		if i == nil {
			return ""
		}
		return w.cutoffBefore(*i)
	}
	w.checkWindow(d)
	data := dataCutoff{zoned: w.inZone(), Unit: sqlText(d.Unit), ZeroDue: d.AtLeast != nil && d.AtLeast.Zero(),
		Else: "NULL", AtLeast: limit(d.AtLeast), AtMost: limit(d.AtMost), Value: w.windowValue(k, *d.Value, number),
		Never: lists.Map(d.NeverValues, w.bind)}
	if d.Else != nil {
		data.Else = w.settableCutoff(*d)
	}
	bound = w.converted(k, cmp.Or(limit(d.AtLeast), w.asOf))
	return enclosed(w.converted(k, fragment("cutoff from data", data))), bound
}

// windowValue returns the value of a window's expression. If the expression reads only the row, or
// is a column of a join, windowValue returns the expression itself. Otherwise it returns a column
// of the FROM clause, so PostgreSQL computes the value once per row.
func (w *policyCompiler) windowValue(k *clock, e policy.Expr, number string) sqlText {
	bound := enclosed(w.bind(e))
	if w.readsOwnColumns(e) {
		return bound
	}
	k.tiersOwn = false
	if e.Parsed().Column() != nil && len(w.scalars) == 0 {
		return bound
	}
	name := sqlText("v_window_" + number)
	w.columns = append(w.columns, namedValue{name, bound})
	return name + ".value"
}

// zoned has the fields that fragments need to count days in a time zone.
type zoned struct {
	Schema, AsOf sqlText
	Zone         literal
}

func (w *policyCompiler) inZone() zoned { return zoned{sqlText(w.schema()), w.asOf, w.zone()} }

// windowCutoff is as_of minus a constant window.
type windowCutoff struct {
	zoned
	Window literal
}

// settableCutoff is as_of minus the window that operators have set, or else minus the policy's own.
type settableCutoff struct {
	zoned
	OlderThan sqlText
	Own       literal
}

// dataCutoff is as_of minus a window that an expression computes. Bounds are "" if there are none.
type dataCutoff struct {
	zoned
	Unit, Value, Else, AtLeast, AtMost sqlText
	Never                              []sqlText // windows with which a row is never due
	ZeroDue                            bool
}

// convertedInstant is an instant in the type and the encoding of a clock.
type convertedInstant struct {
	zoned
	Cutoff    sqlText
	Inclusive bool
	Epoch     int64
	Shift     int
}

func (c project) zone() literal { return literal(c.file.Install.TimeZone) }

// cutoffBefore returns the instant as_of minus an interval.
func (w *policyCompiler) cutoffBefore(i policy.Interval) sqlText {
	return fragment("cutoff", windowCutoff{w.inZone(), literal(i.Text)})
}

// converted returns an instant, converted to the clock's type.
func (w *policyCompiler) converted(k *clock, instant sqlText) sqlText {
	if k.conversion == "" {
		return instant
	}
	return fragment(k.conversion, convertedInstant{w.inZone(), instant, k.source.Inclusive, k.source.Encoding.Epoch,
		k.source.Encoding.Shift})
}
