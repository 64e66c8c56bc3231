package generator

import (
	"strconv"
	"time"
)

// timestamp is the layout of numbers that are the time of writing in UTC: 14 digits.
const timestamp = "20060102150405"

// NextNumber returns the number after previous. It is previous+1, or the current time if the
// directory uses times and the time is greater.
func NextNumber(previous int64, now time.Time) int64 {
	if len(strconv.FormatInt(previous, 10)) != len(timestamp) {
		return previous + 1
	}
	at, _ := strconv.ParseInt(now.UTC().Format(timestamp), 10, 64) // fourteen digits are a number
	return max(at, previous+1)
}
