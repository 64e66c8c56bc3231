package lint

import (
	"fmt"
	"math"
	"time"

	"pgretain/policy"
)

var _ = register("L031", "an encoding that the numbers cannot have", checkEncoding)

// checkEncoding speaks of numbers that would be read as instants of long ago: every row would be due.
func checkEncoding(l *linter) {
	widest := map[string]int64{"smallint": math.MaxInt16, "integer": math.MaxInt32}
	l.eachClock(func(p *policy.Policy, k *policy.Clock, typ string) {
		unit := map[string]time.Duration{"epoch_s": time.Second, "epoch_ms": time.Millisecond}[k.Encoding.Kind]
		if most := widest[typ]; most > 0 && unit > 0 && most < int64(someDay.Sub(time.Unix(0, 0))/unit) {
			l.refuse(finding{at: k.Encoding.Position, policy: p.Name,
				message: fmt.Sprintf("a clock of type %q cannot hold %s", typ, k.Encoding.Kind),
				detail: fmt.Sprintf("Its greatest number, %d, is %s: every row would be older than any window.", most,
					time.Unix(0, 0).UTC().Add(time.Duration(most)*unit).Format("2 January 2006")),
				hint: "Write the unit that the numbers count, or repair the type of the column."})
		}
	})
	l.checkSnowflakes()
}

// inSeconds is below every epoch in milliseconds that a generator of keys has, and above those in seconds.
const inSeconds = 100_000_000_000

// checkSnowflakes warns of an epoch that was counted in seconds.
func (l *linter) checkSnowflakes() {
	for _, p := range l.file.Policies {
		if p.Due == nil {
			continue
		}
		for _, entry := range p.Due.Entries {
			if k := entry.Clock; k != nil && k.Encoding.Kind == "snowflake" && k.Encoding.Epoch > 0 && k.Encoding.Epoch < inSeconds {
				l.warn(finding{at: k.Encoding.Position, policy: p.Name,
					message: fmt.Sprintf("the epoch %d is in %s when it is read in milliseconds", k.Encoding.Epoch,
						time.UnixMilli(k.Encoding.Epoch).UTC().Format("January 2006")),
					detail: "Keys would be read as instants decades before their own, and every row would be due.",
					hint:   fmt.Sprintf("Write %d if the epoch was counted in seconds.", k.Encoding.Epoch*1000)})
			}
		}
	}
}
