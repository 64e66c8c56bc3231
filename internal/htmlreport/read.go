package htmlreport

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"pgretain/internal/quote"
)

//go:embed sql/*.sql
var queries embed.FS

// Bounds on what is shown, and where counting due rows stops.
const (
	countLimit  = 10000
	recentRuns  = 3
	peopleLimit = 200
)

// The rows of the queries of sql, by the position of their fields.
type (
	database struct {
		Name, User, Server string
		Now                time.Time
		Zone, Runtime      string
		AdoptedAt          time.Time
		ScheduleZone       string
	}
	policyRow struct {
		Name, Table string
		Report      bool
		Words       string
		InstalledAt time.Time
		Budget      float64 // seconds; 0: none
		State       string  // of the last run, "" for none
		Started     *time.Time
		Took        float64
		Taken       int64
		Refused     int64
		Message     string
		Success     *time.Time
		FailedInRow int64
		Holds       int64
		Paused      string
		PausedAt    *time.Time
		WindowNote  string
		Kept        string // by what, in the last run
	}
	jobRow struct {
		Name                string
		Schedules, Policies []string
		InstalledAt         time.Time
	}
	dayRow struct {
		Policy, Table                string
		Ago                          int
		Runs, Bad, More, Kept, Taken int64
		Left                         *int64
	}
	runRow struct {
		Policy        string
		ID            int64
		Started       time.Time
		Took          float64
		State         string
		Taken         int64
		Role, Message string
	}
	laneRow struct {
		Job       string
		From, To  time.Time
		Bad, Busy bool
	}
	overlapRow struct {
		Tables, One, Other string
		Times              int64
		Last               time.Time
	}
	tableRow struct {
		Name              string
		Cascaded, Related int64
		Size              string // with indexes; "": it is not there
		Live, Dead        int64
		Vacuumed          *time.Time
		Vacuum            string // the statement that it wants, "" for none
	}
	keyRow    struct{ From, To, Action string }
	healthRow struct{ Severity, Policy, Problem, Hint string }
	holdRow   struct {
		At           time.Time
		By           string
		ID           int64
		Table, Match string
		Reason       string
		Until        *time.Time
	}
	changeRow struct {
		At                              time.Time
		By, What, Policy, Value, Reason string
		InForce                         bool
	}
)

// backlog is what is due under a policy now.
type backlog struct {
	Unknown  string // why it is not known
	Due      int64
	Capped   bool           // there may be more
	Overdue  *time.Duration // since when a row was due, at least; nil: that is not by time
	Timeless bool
}

// found is all that was read. What could not be is empty, and named in Unread.
type found struct {
	Database database
	Policies []policyRow
	Jobs     []jobRow
	Days     []dayRow
	Runs     []runRow
	Lanes    []laneRow
	Overlaps []overlapRow
	Tables   []tableRow
	Keys     []keyRow
	Health   []healthRow
	Holds    []holdRow
	Changes  []changeRow
	Backlog  map[string]backlog
	Unread   []string
}

type reader struct {
	conn *pgx.Conn
	opt  Options
}

// all reads everything: without the registry there is no report.
func (r *reader) all(ctx context.Context) (*found, error) {
	f := &found{Backlog: map[string]backlog{}}
	one, err := ask[database](ctx, r, "database")
	if err == nil && len(one) == 0 {
		err = pgx.ErrNoRows
	}
	if err != nil {
		return nil, err
	}
	f.Database = one[0]
	r.use(f.Database.Zone, &f.Database.Now, &f.Database.AdoptedAt)
	if f.Policies, err = ask[policyRow](ctx, r, "policies"); err != nil {
		return nil, err
	}
	type part struct {
		about string
		read  func() error
	}
	parts := []part{
		{"the jobs", into(ctx, r, &f.Jobs, "jobs")},
		{"the runs of thirty days", into(ctx, r, &f.Days, "days", Days)},
		{"the last runs", into(ctx, r, &f.Runs, "recent", recentRuns)},
		{"the jobs of the last day", into(ctx, r, &f.Lanes, "lanes")},
		{"where runs met on a table", into(ctx, r, &f.Overlaps, "overlaps")},
		{"rows by table", into(ctx, r, &f.Tables, "rows", Days)},
		{"the foreign keys", into(ctx, r, &f.Keys, "keys")},
		{"the holds", into(ctx, r, &f.Holds, "holds", peopleLimit)},
		{"what people changed", into(ctx, r, &f.Changes, "changes", Days, peopleLimit)},
	}
	if r.opt.Verify == nil { // which finds what the runtime says of itself
		parts = append(parts, part{"what needs attention", into(ctx, r, &f.Health, "health")})
	}
	for _, part := range parts {
		why, err := refusal(ctx, part.read())
		if err != nil {
			return nil, err
		}
		if why != "" {
			f.Unread = append(f.Unread, part.about+": "+why)
		}
	}
	return f, r.count(ctx, f)
}

// use has instants read in the zone of the install, those that were read before among them.
func (r *reader) use(name string, read ...*time.Time) {
	zone, err := time.LoadLocation(name)
	if err != nil {
		zone = time.UTC
	}
	for _, t := range read {
		*t = t.In(zone)
	}
	codec := &pgtype.TimestamptzCodec{ScanLocation: zone}
	r.conn.TypeMap().RegisterType(&pgtype.Type{Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: codec})
}

// count looks at what is due, and stops when ten timeouts were spent on it.
func (r *reader) count(ctx context.Context, f *found) error {
	until := time.Now().Add(10 * r.opt.Timeout)
	for _, p := range f.Policies {
		if p.Report {
			continue
		}
		b := backlog{Unknown: "the time for counting was used up by other policies"}
		if time.Now().Before(until) {
			var err error
			if b, err = r.backlog(ctx, p.Name, f.Database.Now); err != nil {
				return err
			}
		}
		f.Backlog[p.Name] = b
	}
	return nil
}

// ages are how long ago a row may have come to be due. The first is a minute: what is due in the next run is no news.
var ages = func() (list []time.Duration) {
	for age := time.Minute; age < 40*365*24*time.Hour; age = age * 5 / 4 {
		list = append(list, age)
	}
	return list
}()

// backlog counts what is due under a policy up to a limit. Since when it is due it finds by asking whether a row was due
// some time ago, which costs the search for one row each: at most one more than half a dozen times.
func (r *reader) backlog(ctx context.Context, policy string, now time.Time) (b backlog, err error) {
	err = r.reading(ctx, func(tx pgx.Tx) (err error) {
		count := func(asOf time.Time, limit int) (due int64, capped bool) {
			if err == nil {
				err = tx.QueryRow(ctx, r.query("due"), policy, asOf, limit).Scan(&due, &capped)
			}
			return due, capped
		}
		last := len(ages) - 1
		if b.Due, b.Capped = count(now, countLimit); b.Due == 0 {
			return err
		}
		if due, _ := count(now.Add(-ages[last]), 1); err != nil || due > 0 {
			b.Timeless = err == nil // by a place among others, or a condition
			return err
		}
		not := sort.Search(last, func(i int) bool { // the first age for which none was
			due, _ := count(now.Add(-ages[i]), 1)
			return due == 0
		})
		if err != nil {
			return err
		}
		if b.Overdue = new(time.Duration(0)); not > 0 {
			*b.Overdue = ages[not-1]
		}
		return nil
	})
	why, err := refusal(ctx, err)
	if b.Due == 0 { // else the number stands
		b.Unknown = why
	}
	return b, err
}

// reading calls read in a transaction of its own.
func (r *reader) reading(ctx context.Context, read func(pgx.Tx) error) error {
	options := pgx.TxOptions{IsoLevel: pgx.ReadCommitted, AccessMode: pgx.ReadOnly}
	return pgx.BeginTxFunc(ctx, r.conn, options, func(tx pgx.Tx) error {
		timeout := strconv.FormatInt(max(r.opt.Timeout.Milliseconds(), 1), 10)
		if _, err := tx.Exec(ctx, r.query("settings"), timeout); err != nil {
			return err
		}
		return read(tx)
	})
}

// ask reads the rows of a query.
func ask[T any](ctx context.Context, r *reader, query string, args ...any) (list []T, err error) {
	err = r.reading(ctx, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, r.query(query), args...) // rows give the same error
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[T])
		return err
	})
	return list, err
}

func into[T any](ctx context.Context, r *reader, list *[]T, query string, args ...any) func() error {
	return func() (err error) {
		*list, err = ask[T](ctx, r, query, args...)
		return err
	}
}

func (r *reader) query(name string) string {
	return quote.InSchema(queries, "sql/"+name+".sql", r.opt.Schema)
}

// refusal says why the server refused; an error that is not the server's remains one.
func refusal(ctx context.Context, err error) (string, error) {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	switch {
	case err == nil:
		return "", nil
	case !ok || ctx.Err() != nil:
		return "", errors.Join(ctx.Err(), err)
	case refused.Code == "55P03": // lock_not_available
		return "a table is locked by somebody else", nil
	case refused.Code == "57014": // query_canceled
		return "it took too long", nil
	}
	return fmt.Sprintf("%s [%s]", refused.Message, refused.Code), nil
}
