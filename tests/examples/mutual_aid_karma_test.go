package examples

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"pgretain/tests/pgtest"
)

// member is a user in a community.
type member struct{ User, Community string }

// karma is one record with its points and the time when they were earned.
type karma struct {
	Points float64
	At     time.Time
}

// model has the records, half-lives and scores from which the test computes trust scores.
type model struct {
	records  map[member][]karma
	halfLife map[string]float64 // in months, by community
	scores   map[member]float64
}

func (e *example) model(t *testing.T) model {
	t.Helper()
	m := model{map[member][]karma{}, map[string]float64{}, map[member]float64{}}
	type record struct {
		User, Community string
		Points          float64
		At              time.Time
	}
	for _, r := range collect[record](t, e,
		"SELECT user_id::text, community_id::text, points::float8, created_at FROM reputation.karma_records") {
		m.records[member{r.User, r.Community}] = append(m.records[member{r.User, r.Community}], karma{r.Points, r.At})
	}
	type setting struct {
		Community string
		Months    float64
	}
	for _, s := range collect[setting](t, e,
		"SELECT community_id::text, reputation_half_life_months::float8 FROM communities.settings") {
		m.halfLife[s.Community] = s.Months
	}
	type score struct {
		User, Community string
		Score           float64
	}
	for _, s := range collect[score](t, e,
		"SELECT user_id::text, community_id::text, score::float8 FROM reputation.trust_scores") {
		m.scores[member{s.User, s.Community}] = s.Score
	}
	return m
}

func collect[T any](t *testing.T, e *example, sql string) []T {
	t.Helper()
	rows, err := e.conn.Query(t.Context(), sql)
	var list []T
	if err == nil {
		list, err = pgx.CollectRows(rows, pgx.RowToStructByPos[T])
	}
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return list
}

// score returns the result of the document's formula: the sum of karma * 0.5 ^ (months ago /
// half-life in months).
func (m model) score(who member, asOf time.Time) float64 {
	halfLife, told := m.halfLife[who.Community]
	if !told {
		halfLife = 6
	}
	sum := 0.0
	for _, k := range m.records[who] {
		months := max(0, asOf.Sub(k.At).Seconds()) / (30.44 * 24 * 60 * 60)
		sum += k.Points * math.Pow(0.5, months/halfLife)
	}
	return sum
}

// decay runs the job on scores that were not computed before, and again a month later.
func (e *example) decay(t *testing.T, asOf string) {
	t.Helper()
	at := pgtest.Value[time.Time](t, e.conn, "SELECT $1::timestamptz", asOf)
	for _, later := range []time.Duration{0, 30 * 24 * time.Hour} {
		before := e.content(t)
		m := e.model(t)
		e.clearLog(t)
		instant := at.Add(later)
		e.runJob(t, "decay", instant.Format(time.RFC3339Nano))
		e.wantScores(t, m, instant, func(member) bool { return true })
		e.onlyChanged(t, before, "reputation.trust_scores", "retention.event")
		e.runJob(t, "decay", instant.Format(time.RFC3339Nano))
		if o := e.Last("karma_decay"); o.State != "done" || o.Taken != 0 {
			t.Errorf("the second run: %+v", o)
		}
	}
}

// wantScores compares the scores of members in scope with the model, and the events and counts with
// the changed scores.
func (e *example) wantScores(t *testing.T, m model, asOf time.Time, in func(member) bool) {
	t.Helper()
	now := e.model(t).scores
	taken, fallen := int64(0), map[member][2]float64{}
	for who, old := range m.scores {
		if !in(who) {
			if now[who] != old {
				t.Errorf("%v: the score went from %v to %v, out of scope", who, old, now[who])
			}
			continue
		}
		if want := m.score(who, asOf); math.Abs(now[who]-want) > 0.00501 {
			t.Errorf("%v: the score is %v, want %v", who, now[who], want)
		}
		if now[who] != old {
			taken++
		}
		if now[who] < old {
			fallen[who] = [2]float64{old, now[who]}
		}
	}
	if o := e.Last("karma_decay"); o.State != "done" || o.Taken != taken || taken == 0 {
		t.Errorf("%d scores changed, the run says %+v", taken, o)
	}
	type event struct {
		User, Community string
		From, To        float64
	}
	told := map[member][2]float64{}
	for _, v := range collect[event](t, e, `
		SELECT payload ->> 'user_id', payload ->> 'community_id',
			(payload ->> 'from')::float8, (payload ->> 'to')::float8
		FROM retention.event WHERE event = 'karma_decayed'`) {
		told[member{v.User, v.Community}] = [2]float64{v.From, v.To}
	}
	if diff := cmp.Diff(fallen, told); diff != "" {
		t.Errorf("events differ (-want +got):\n%s", diff)
	}
}

// onlyChanged checks that no table except tables has changed.
func (e *example) onlyChanged(t *testing.T, before map[string][]string, tables ...string) {
	t.Helper()
	now := e.content(t)
	for _, table := range tables {
		now[table] = before[table]
	}
	if diff := cmp.Diff(before, now); diff != "" {
		t.Errorf("other tables changed (-before +after):\n%s", diff)
	}
}

// karmaHalves checks the document's example: 100 points that were earned now, and 6, 12 and 18
// months ago.
func (e *example) karmaHalves(t *testing.T) {
	e.fill(t, `
		INSERT INTO communities.communities VALUES ('00000000-0000-0000-0000-000000000001', 'a'),
			('00000000-0000-0000-0000-000000000002', 'b');
		INSERT INTO reputation.trust_scores (user_id, community_id, score)
		SELECT ('00000000-0000-0000-0000-00000000000' || n)::uuid, '00000000-0000-0000-0000-000000000001', 100
			FROM generate_series(0, 4) n;
		INSERT INTO reputation.karma_records (user_id, community_id, points, reason, created_at)
		SELECT ('00000000-0000-0000-0000-00000000000' || n)::uuid, '00000000-0000-0000-0000-000000000001', 100,
			'helped',
		       :as_of - n * 6 * 30.44 * interval '1 day' FROM generate_series(0, 3) n;
		INSERT INTO reputation.karma_records (user_id, community_id, points, reason, created_at) -- in another community
		SELECT ('00000000-0000-0000-0000-00000000000' || n)::uuid, '00000000-0000-0000-0000-000000000002',
			1000, 'helped', :as_of FROM generate_series(0, 4) n`, instants[0])
	e.runJob(t, "decay", instants[0])
	got := pgtest.Column[string](t, e.conn,
		"SELECT trim_scale(score)::text FROM reputation.trust_scores ORDER BY user_id")
	if diff := cmp.Diff([]string{"100", "50", "25", "12.5", "0"}, got); diff != "" {
		t.Error(diff)
	}
	if o := e.Last("karma_decay"); o.Taken != 4 {
		t.Errorf("100 is 100 today: %+v", o)
	}
}

// ownSchedule checks that the job of one community changes no scores of other communities.
func (e *example) ownSchedule(t *testing.T) {
	e.fillMutualAid(t, instants[0])
	before, m := e.content(t), e.model(t)
	e.runJob(t, "decay_riverside", instants[0])
	at := pgtest.Value[time.Time](t, e.conn, "SELECT $1::timestamptz", instants[0])
	e.wantScores(t, m, at, func(who member) bool { return who.Community == "00000000-0000-0000-0000-000000000001" })
	e.onlyChanged(t, before, "reputation.trust_scores", "retention.event")
}
