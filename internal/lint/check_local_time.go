package lint

import (
	"fmt"
	"time"

	"pgretain/policy"
)

var _ = register("L032", "a short window on local time", checkLocalTime)

// checkLocalTime warns of a clock without a zone where the zone of the install repeats an hour in autumn:
// of two rows with the same local time one is an hour younger.
func checkLocalTime(l *linter) {
	zone, err := time.LoadLocation(l.file.Install.TimeZone)
	if err != nil || !changesClocks(zone) {
		return
	}
	l.eachClock(func(p *policy.Policy, k *policy.Clock, typ string) {
		if typ != "timestamp without time zone" {
			return
		}
		for _, i := range intervals(k.Window) {
			if i.Months == 0 && i.Days == 0 && i.Time < day && k.Kind == "age" {
				l.warn(finding{at: i.Position, policy: p.Name,
					message: fmt.Sprintf("the clock %q has no time zone, and %q repeats an hour when summer ends", k.Column, l.file.Install.TimeZone),
					detail:  fmt.Sprintf("Rows of the hour that comes twice may go an hour before they are older than %s.", i.Text),
					hint:    "Make the column timestamptz, or write the times in UTC and set install.time_zone to UTC."})
			}
		}
	})
}

// changesClocks says whether a zone has summer time nowadays.
func changesClocks(zone *time.Location) bool {
	_, winter := someDay.In(zone).Zone()
	_, summer := someDay.AddDate(0, 6, 0).In(zone).Zone()
	return winter != summer
}
