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

// countLimit is the number at which counting due rows stops.
const countLimit = 10000

// The rows of queries that decide about states, by the position of their fields.
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
		Budget      float64 // seconds; 0 for none
		State       string  // state of the last run, "" for none
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
		Kept        string // rows kept by the last run, by guard, in words
		WayOut      string // command to type after a run that tripped
	}
	jobRow struct {
		Name                string
		Schedules, Policies []string
		InstalledAt         time.Time
	}
)

// row is a row of a query whose result is only displayed. It maps the names of columns to values.
type row = map[string]any

// parts lists the queries for such rows, each with a description.
var parts = []struct{ query, about string }{
	{"days", "the runs of thirty days"},
	{"recent", "the last runs"},
	{"lanes", "the jobs of the last day"},
	{"hours", "the hours of the last day"},
	{"overlaps", "where runs met on a table"},
	{"tables", "rows by table"},
	{"holds", "the holds"},
	{"changes", "what people changed"},
	{"health", "what needs attention"},
}

// backlog describes the rows of a policy that are due now.
type backlog struct {
	Unknown string // why the number is not known
	Due     int64
	Capped  bool // there may be more rows
	// Overdue says how long the oldest due row has been due at least; nil if that is not known.
	Overdue  *time.Duration
	Timeless bool // a row was due at all times, so it became due by a rank or a condition
}

// found contains everything that was read from the database. A part that could not be read is
// empty, and Unread names it.
type found struct {
	Database database
	policies []policyRow
	jobs     []jobRow
	Read     map[string][]row // rows by query
	backlog  map[string]backlog
	Unread   []string
}

type reader struct {
	conn *pgx.Conn
	opt  Options
}

// all reads everything. It returns an error if the registry cannot be read.
func (r *reader) all(ctx context.Context) (*found, error) {
	f := &found{Read: map[string][]row{}, backlog: map[string]backlog{}}
	one, err := ask(ctx, r, "database", pgx.RowToStructByPos[database])
	if err == nil && len(one) == 0 {
		err = pgx.ErrNoRows
	}
	if err != nil {
		return nil, err
	}
	f.Database = one[0]
	zone := location(f.Database.Zone) // time zone of the install, for all times from here on
	f.Database.Now, f.Database.AdoptedAt = f.Database.Now.In(zone), f.Database.AdoptedAt.In(zone)
	codec := &pgtype.TimestamptzCodec{ScanLocation: zone}
	r.conn.TypeMap().RegisterType(&pgtype.Type{Name: "timestamptz", OID: pgtype.TimestamptzOID, Codec: codec})
	if f.policies, err = ask(ctx, r, "policies", pgx.RowToStructByPos[policyRow]); err != nil {
		return nil, err
	}
	if f.jobs, err = ask(ctx, r, "jobs", pgx.RowToStructByPos[jobRow]); err != nil {
		return nil, err
	}
	for _, part := range parts {
		if part.query == "health" && r.opt.Verify != nil {
			continue // verify reports the findings of the runtime, too
		}
		rows, err := ask(ctx, r, part.query, pgx.RowToMap)
		why, err := refusal(ctx, err)
		if err != nil {
			return nil, err
		}
		if f.Read[part.query] = rows; why != "" {
			f.Unread = append(f.Unread, part.about+": "+why)
		}
	}
	return f, r.count(ctx, f)
}

// location returns a time zone of the server, or UTC if this program does not know it.
func location(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return zone
}

// count counts the due rows of all policies. It stops after ten times the timeout of a query.
func (r *reader) count(ctx context.Context, f *found) error {
	until := time.Now().Add(10 * r.opt.Timeout)
	for _, p := range f.policies {
		b := backlog{Unknown: "counting other policies took too long"}
		if p.Report {
			continue
		}
		if time.Now().Before(until) {
			var err error
			if b, err = r.backlog(ctx, p.Name, f.Database.Now); err != nil {
				return err
			}
		}
		f.backlog[p.Name] = b
	}
	return nil
}

// ages lists durations. For each of them the search can test whether a row was due that long ago.
// The shortest is one minute, because a row that waits for the next run is not a problem.
var ages = func() (list []time.Duration) {
	for age := time.Minute; age < 40*365*24*time.Hour; age = age * 5 / 4 {
		list = append(list, age)
	}
	return list
}()

// backlog counts the due rows of a policy up to countLimit. To find out since when rows have been
// due, it asks whether a row was due at an earlier time. It does so in a binary search of at most
// seven queries, and each query looks for one row.
func (r *reader) backlog(ctx context.Context, policy string, now time.Time) (b backlog, err error) {
	err = r.reading(ctx, func(tx pgx.Tx) (err error) {
		count := func(ago time.Duration, limit int) (due int64, capped bool) {
			if err == nil {
				err = tx.QueryRow(ctx, r.query("due"), policy, now.Add(-ago), limit).Scan(&due, &capped)
			}
			return due, capped
		}
		last := len(ages) - 1
		if b.Due, b.Capped = count(0, countLimit); b.Due == 0 {
			return err
		}
		if due, _ := count(ages[last], 1); err != nil || due > 0 {
			b.Timeless = err == nil // due by a rank or a condition
			return err
		}
		not := sort.Search(last, func(i int) bool { // first age at which no row was due
			due, _ := count(ages[i], 1)
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
	if b.Due == 0 { // if b.Due is not 0, the number is known
		b.Unknown = why
	}
	return b, err
}

// reading calls the function "read" in a separate transaction.
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

// ask returns the rows of a query.
func ask[T any](ctx context.Context, r *reader, query string, as pgx.RowToFunc[T]) (list []T, err error) {
	err = r.reading(ctx, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, r.query(query)) // CollectRows returns the same error
		list, err = pgx.CollectRows(rows, as)
		return err
	})
	return list, err
}

func (r *reader) query(name string) string {
	return quote.InSchema(queries, "sql/"+name+".sql", r.opt.Schema)
}

// refusal returns why the server refused a query. Other errors are returned as errors.
func refusal(ctx context.Context, err error) (string, error) {
	refused, ok := errors.AsType[*pgconn.PgError](err)
	switch {
	case err == nil:
		return "", nil
	case !ok || ctx.Err() != nil:
		return "", errors.Join(ctx.Err(), err)
	case refused.Code == "55P03": // lock_not_available
		return "another session has locked a table", nil
	case refused.Code == "57014": // query_canceled
		return "the query took longer than the timeout", nil
	}
	return fmt.Sprintf("%s [%s]", refused.Message, refused.Code), nil
}
