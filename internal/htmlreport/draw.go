package htmlreport

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// What is drawn is paths in SVG: their commands are made here, what is around them is in the template.

// strip is thirty days of runs, a column each. Its area is that of the rows taken, against the highest day; what went wrong
// has a cross above, what left rows for the next run a dash.
type strip struct {
	Title            string
	Ran, Wrong, Rest string // paths: columns, crosses, dashes
}

const (
	stripStep = 6
	stripBase = 21
)

func drawStrip(days []dayRow, now time.Time) strip {
	var s strip
	var runs, taken int64
	var bad []string
	active := 0
	most := int64(1)
	for _, d := range days {
		most = max(most, d.Taken)
	}
	for _, d := range days {
		if d.Ago < 0 || d.Ago >= Days {
			continue
		}
		runs, taken, active = runs+d.Runs, taken+d.Taken, active+1
		x := (Days-1-d.Ago)*stripStep + stripStep/2
		height := 2.0
		if d.Taken > 0 {
			height = 3 + 11*math.Sqrt(float64(d.Taken)/float64(most))
		}
		s.Ran += fmt.Sprintf("M%d %dv-%.0f", x, stripBase, height)
		day := now.AddDate(0, 0, -d.Ago).Format("2 Jan")
		switch {
		case d.Bad > 0:
			s.Wrong += fmt.Sprintf("M%d 1l4 4m0-4l-4 4", x-2)
			bad = append(bad, day)
		case d.More > 0:
			s.Rest += fmt.Sprintf("M%d 3h4", x-2)
		}
	}
	s.Title = "No run in 30 days"
	if active > 0 {
		s.Title = fmt.Sprintf("30 days: %s runs on %d days, %s rows taken", count(runs), active, count(taken))
	}
	if len(bad) > 0 {
		s.Title += "; went wrong on " + strings.Join(bad, ", ")
	}
	return s
}

// curve is how many rows the last run of each day left, where any did.
type curve struct {
	Title, Area string
	Most        int64
}

const (
	curveWidth  = 360
	curveHeight = 60
)

func drawCurve(days []dayRow, due backlog) *curve {
	var c curve
	left := [Days]int64{}
	known := [Days]bool{}
	for _, d := range days {
		if d.Left != nil && d.Ago >= 0 && d.Ago < Days {
			left[Days-1-d.Ago], known[Days-1-d.Ago] = *d.Left, true
		}
	}
	if due.Unknown == "" {
		left[Days-1], known[Days-1] = max(due.Due, 0), true
	}
	number, first, last := 0, 0, 0
	for i, n := range left {
		if known[i] {
			if number == 0 {
				first = i
			}
			number, last, c.Most = number+1, i, max(c.Most, n)
		}
	}
	if c.Most == 0 || number < 2 {
		return nil
	}
	x := func(i int) int { return i*(curveWidth-8)/(Days-1) + 4 }
	y := func(n int64) float64 { return curveHeight - 2 - float64(n)/float64(c.Most)*(curveHeight-8) }
	command := "M"
	for i, n := range left {
		if known[i] {
			c.Area += fmt.Sprintf("%s%d %.0f", command, x(i), y(n))
			command = "L"
		}
	}
	c.Area += fmt.Sprintf("L%d %dL%d %dz", x(last), curveHeight-2, x(first), curveHeight-2)
	c.Title = fmt.Sprintf("Left by the last run of each day, at most %s, and due now", count(c.Most))
	return &c
}

// lane is the last 24 hours of a job: a bar for each start, as long as it took; bars that would touch are one.
type lane struct {
	Title             string
	Well, Wrong, Busy string
}

const (
	laneWidth  = 720
	laneHeight = 18
)

func drawLane(name string, starts []laneRow, now time.Time) lane {
	var l lane
	var well, wrong, busy strings.Builder
	x := func(t time.Time) int {
		return min(max(int(laneWidth*(1-now.Sub(t).Hours()/24)), 0), laneWidth)
	}
	var bad, kept int
	var from, to int
	flush := func() {
		if to > from {
			fmt.Fprintf(&well, "M%d 9h%d", from, to-from)
		}
	}
	for _, s := range starts {
		a, b := x(s.From), max(x(s.To), x(s.From)+1)
		switch {
		case s.Bad:
			bad++
			fmt.Fprintf(&wrong, "M%d 9h%d", a, b-a+1)
		case s.Busy:
			kept++
			fmt.Fprintf(&busy, "M%d 1l3 5h-6z", a)
		case to > 0 && a <= to:
			to = max(to, b)
		default:
			flush()
			from, to = a, b
		}
	}
	flush()
	l.Well, l.Wrong, l.Busy = well.String(), wrong.String(), busy.String()
	l.Title = fmt.Sprintf("Job %s in the last 24 hours: %s", name, times(len(starts), "start"))
	if bad > 0 {
		l.Title += fmt.Sprintf(", %s of them went wrong", count(int64(bad)))
	}
	if kept > 0 {
		l.Title += fmt.Sprintf(", %s found a table taken", count(int64(kept)))
	}
	return l
}

// axis has the full hours of the last day, every third with its name.
type axis struct {
	Lines string
	Hours []hour
}

type hour struct {
	X    int
	Name string
}

func drawAxis(now time.Time) axis {
	var a axis
	begin := now.Add(-24 * time.Hour)
	for t := begin.Truncate(time.Hour).Add(time.Hour); t.Before(now); t = t.Add(time.Hour) {
		if t.Hour()%3 != 0 {
			continue
		}
		x := int(laneWidth * t.Sub(begin).Hours() / 24)
		a.Lines += fmt.Sprintf("M%d 0v%d", x, laneHeight)
		if x > 14 && x < laneWidth-14 {
			a.Hours = append(a.Hours, hour{x, t.Format("15:04")})
		}
	}
	return a
}
