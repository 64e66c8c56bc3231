package htmlreport

import (
	"fmt"
	"maps"
	"math"
	"slices"
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
	var bad []string
	runs, taken, most := int64(0), int64(0), int64(1)
	for _, d := range days {
		runs, taken, most = runs+d.Runs, taken+d.Taken, max(most, d.Taken)
	}
	for _, d := range days {
		x := (Days-1-d.Ago)*stripStep + stripStep/2
		height := 2.0
		if d.Taken > 0 {
			height = 3 + 11*math.Sqrt(float64(d.Taken)/float64(most))
		}
		s.Ran += fmt.Sprintf("M%d %dv-%.0f", x, stripBase, height)
		switch {
		case d.Bad > 0:
			s.Wrong += fmt.Sprintf("M%d 1l4 4m0-4l-4 4", x-2)
			bad = append(bad, now.AddDate(0, 0, -d.Ago).Format("2 Jan"))
		case d.More > 0:
			s.Rest += fmt.Sprintf("M%d 3h4", x-2)
		}
	}
	s.Title = "No run in 30 days"
	if len(days) > 0 {
		s.Title = fmt.Sprintf("30 days: %s runs on %d days, %s rows taken", count(runs), len(days), count(taken))
	}
	if len(bad) > 0 {
		s.Title += "; went wrong on " + strings.Join(bad, ", ")
	}
	return s
}

// curve is how many rows the last run of each day left, where any did.
type curve struct{ Title, Area string }

const (
	curveWidth  = 360
	curveHeight = 60
)

func drawCurve(days []dayRow, due backlog) *curve {
	left := map[int]int64{} // rows, by day
	for _, d := range days {
		if d.Left != nil {
			left[Days-1-d.Ago] = *d.Left
		}
	}
	if due.Unknown == "" {
		left[Days-1] = due.Due
	}
	most := int64(0)
	for _, n := range left {
		most = max(most, n)
	}
	if most == 0 || len(left) < 2 {
		return nil
	}
	x := func(day int) int { return day*(curveWidth-8)/(Days-1) + 4 }
	y := func(n int64) float64 { return curveHeight - 2 - float64(n)/float64(most)*(curveHeight-8) }
	known := slices.Sorted(maps.Keys(left))
	var points []string
	for _, day := range known {
		points = append(points, fmt.Sprintf("%d %.0f", x(day), y(left[day])))
	}
	below := fmt.Sprintf("L%d %.0fL%d %.0fz", x(known[len(known)-1]), y(0), x(known[0]), y(0))
	return &curve{fmt.Sprintf("Left by the last run of each day, at most %s, and due now", count(most)), "M" + strings.Join(points, "L") + below}
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
	var wells [][2]int // from and to
	var well, wrong, busy []byte
	bad, kept := 0, 0
	x := func(t time.Time) int { return min(max(int(laneWidth*(1-now.Sub(t).Hours()/24)), 0), laneWidth) }
	for _, s := range starts {
		from, to, last := x(s.From), max(x(s.To), x(s.From)+1), len(wells)-1
		switch {
		case s.Bad:
			bad++
			wrong = fmt.Appendf(wrong, "M%d 9h%d", from, to-from+1)
		case s.Busy:
			kept++
			busy = fmt.Appendf(busy, "M%d 1l3 5h-6z", from)
		case last >= 0 && from <= wells[last][1]:
			wells[last][1] = max(wells[last][1], to)
		default:
			wells = append(wells, [2]int{from, to})
		}
	}
	for _, bar := range wells {
		well = fmt.Appendf(well, "M%d 9h%d", bar[0], bar[1]-bar[0])
	}
	title := fmt.Sprintf("Job %s in the last 24 hours: %s", name, times(len(starts), "start"))
	if bad > 0 {
		title += fmt.Sprintf(", %s of them went wrong", count(int64(bad)))
	}
	if kept > 0 {
		title += fmt.Sprintf(", %s found a table taken", count(int64(kept)))
	}
	return lane{title, string(well), string(wrong), string(busy)}
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
