package main

import (
	"fmt"
	"strconv"
	"time"

	"pgretain/generator"
)

// timestamp is the form of numbers that say when a file was written, in UTC: 14 digits.
const timestamp = "20060102150405"

// numbering says what follows the last number of a directory. Style is "sequential", "timestamp", or
// "" for what the directory uses.
type numbering struct {
	style string
	now   func() time.Time
}

// check refuses a style that is unknown, or that is not that of the directory.
func (n numbering) check(history *generator.History, dir string) error {
	if n.style != "" && n.style != "sequential" && n.style != "timestamp" {
		return &usageError{"--numbers must be sequential or timestamp, got " + quoted(n.style)}
	}
	if last := history.Last(); last > 0 && n.style != "" && (n.style == "timestamp") != isTimestamp(last) {
		return &usageError{fmt.Sprintf("--numbers %s is for an empty directory; the last number of %s is %d", n.style, dir, last)}
	}
	if n.style == "timestamp" && history.Format() == generator.Tern {
		return &usageError{"--numbers timestamp is not for tern, which wants numbers without gaps"}
	}
	return nil
}

// next comes after previous, also where the clock is behind it.
func (n numbering) next(previous int64) int64 {
	if !isTimestamp(previous) && (previous > 0 || n.style != "timestamp") {
		return previous + 1
	}
	return max(number(n.now().UTC()), secondAfter(previous))
}

func isTimestamp(number int64) bool { return len(strconv.FormatInt(number, 10)) == len(timestamp) }

// secondAfter is one more where previous is no instant, 61 seconds past the minute for example.
func secondAfter(previous int64) int64 {
	at, err := time.Parse(timestamp, strconv.FormatInt(previous, 10))
	if err != nil {
		return previous + 1
	}
	return number(at.Add(time.Second))
}

// number writes an instant as one number.
func number(at time.Time) int64 {
	n, err := strconv.ParseInt(at.Format(timestamp), 10, 64)
	if err != nil {
		panic(err) // fourteen digits are a number
	}
	return n
}
