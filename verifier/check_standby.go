package verifier

import (
	"fmt"
	"time"
)

var codeStandby = register("V093", Sight, "the server is a standby")

// standby says as of when everything is that the report says, and what it cannot say.
func (v *inspection) standby() {
	f := Finding{Code: codeStandby, Severity: Info, Position: v.install.Position, Message: "the server is a standby",
		Detail: "It has replayed all that it got."}
	if behind := v.server.Clock.Sub(v.server.Now).Round(time.Millisecond); !v.server.Now.Equal(v.server.Clock) {
		f.Detail = fmt.Sprintf("Everything is as of %s, %s ago; what happened since it does not know.", instant(v.server.Now), behind)
	}
	v.add(f)
	v.onlyPrimary()
}
