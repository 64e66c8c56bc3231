package explain

import (
	"fmt"
	"strconv"
	"time"
)

func percent(share float64) string { return strconv.FormatFloat(share*100, 'g', 6, 64) + "%" }

// Count counts things, as in "1 policy" and "2,000 policies".
func Count[N int | int64](n N, thing string) string {
	switch {
	case n == 1:
	case thing == "policy":
		thing = "policies"
	default:
		thing += "s"
	}
	return Number(int64(n)) + " " + thing
}

// Number has a comma between thousands.
func Number(n int64) string {
	if n < 0 {
		return "-" + Number(-n)
	}
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Seconds writes how long something took.
func Seconds(s float64) string {
	switch {
	case s < 1:
		return fmt.Sprintf("%.0f ms", s*1000)
	case s < 60:
		return fmt.Sprintf("%.1f s", s)
	}
	return time.Duration(s * float64(time.Second)).Round(time.Second).String()
}

// Duration is in words, in the greatest units that divide it.
func Duration(d time.Duration) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}, {time.Millisecond, "ms"}} {
		n := int64(d / unit.of)
		switch {
		case d%unit.of != 0 || n == 0:
		case n == 1 || unit.name == "ms":
			return fmt.Sprintf("%d %s", n, unit.name)
		default:
			return fmt.Sprintf("%d %ss", n, unit.name)
		}
	}
	return d.String()
}
