package main

import "context"

// bench runs the bench of the given name.
func (s *session) bench(ctx context.Context, name string) (results []result, err error) {
	for _, d := range compared {
		if d.name == name && !d.standby {
			return s.compare(ctx, d)
		} else if d.name == name {
			err = s.withStandby(ctx, func() (err error) {
				results, err = s.compare(ctx, d)
				return err
			})
			return results, err
		}
	}
	switch name {
	case "nothing":
		return s.nothing(ctx)
	case "drop":
		return s.dropPartitions(ctx)
	case "tick":
		return s.ticks(ctx)
	case "small":
		return s.small(ctx)
	case "many":
		return s.many(ctx)
	case "each":
		return s.each(ctx)
	case "fleet":
		return s.fleet(ctx)
	}
	panic("no bench " + name)
}

// series holds the measurements of one way, one per round.
type series struct {
	way
	snapshot bool
	samples  []sample
}

// compare measures every way once per round, one after the other. So a slow moment of the machine
// affects all ways.
func (s *session) compare(ctx context.Context, d deletes) ([]result, error) {
	var all []*series
	held := []bool{false, true}
	if d.plain {
		held = held[:1]
	}
	for _, snapshot := range held {
		for _, w := range d.ways {
			all = append(all, &series{way: w, snapshot: snapshot})
		}
	}
	for round := range s.rounds {
		for _, x := range all {
			m, err := s.measure(ctx, d, x.way, x.snapshot)
			if err != nil {
				return nil, err
			}
			x.samples = append(x.samples, m)
			s.say("round %d of %d: %s %s%s, %.2f s", round+1, s.rounds, d.name, x.name, with(x.snapshot),
				m.took.Seconds())
		}
	}
	return d.results(all), nil
}

// results compares each series with the first way's series with the same snapshot.
func (d deletes) results(all []*series) []result {
	limits := map[bool]*series{}
	var results []result
	for _, x := range all {
		if x.name == d.ways[0].name {
			limits[x.snapshot] = x
		}
		results = append(results, x.result(d.name, limits[x.snapshot]))
	}
	return results
}

func with(snapshot bool) string {
	if snapshot {
		return " with a snapshot held"
	}
	return ""
}

// result returns the medians of a series. The ratio is the median of the ratios of all rounds,
// because the two ways of a round ran under similar conditions.
func (x *series) result(bench string, limit *series) result {
	r := result{Bench: bench, Way: x.name, Snapshot: x.snapshot, Rows: x.samples[0].rows}
	r.Milliseconds, r.spread = milliseconds(x.samples)
	var ratios, flat, p99 []float64
	for i, m := range x.samples {
		if m.flatness != nil {
			flat = append(flat, *m.flatness)
		}
		if m.p99 != nil {
			p99 = append(p99, *m.p99)
		}
		if limit.beside == application && m.p99 != nil && limit.samples[i].p99 != nil {
			ratios = append(ratios, *m.p99 / *limit.samples[i].p99)
		} else {
			ratios = append(ratios, m.rate()/limit.samples[i].rate())
		}
	}
	r.RatioToLimit, r.Flatness, r.P99 = middle(ratios), middle(flat), middle(p99)
	if r.Rows > 0 {
		r.RowsPerSecond = median(x.samples, sample.rate)
		r.WALBytesPerRow = median(x.samples, func(m sample) float64 { return float64(m.wal) / float64(m.rows) })
	}
	return r
}
