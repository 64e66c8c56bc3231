package main

import (
	"testing"

	"pgretain/policy"
)

// TestFoundDatabases checks that checkFound refuses names that are paths or options. If there is a
// password_command, it also refuses databases that are not on the host of the query.
func TestFoundDatabases(t *testing.T) {
	t.Parallel()
	const asked = "host=db1.example port=5433 dbname=postgres user=u"
	for _, c := range []struct {
		name, connection  string
		command, accepted bool // command: the fleet has a password_command
	}{
		{"shop", "host=db1.example port=5433 dbname=shop user=u", true, true},
		{"shop", "postgres://u@db1.example:5433/shop", true, true},
		{"shop", "host=evil.example port=5433 dbname=shop", true, false},
		{"shop", "host=db1.example port=5434 dbname=shop", true, false},
		{"shop", "host=db1.example,evil.example port=5433,5433 dbname=shop", true, false},
		{"shop", "postgres://u@evil.example/shop", true, false},
		{"shop", "host=db2.example dbname=shop", false, true},
		{"../../x", asked, true, false},
		{"../../x", asked, false, false},
		{"..", asked, true, false},
		{"--help", asked, true, false},
		{`a\b`, asked, true, false},
		{"a\u202eb", asked, true, false},
		{"a\x1b[2Jb", asked, false, false},
	} {
		f := &fleet{Fleet: &policy.Fleet{}}
		if c.command {
			f.PasswordCommand = []string{"pass", "show", "{name}"}
		}
		err := f.checkFound(policy.FleetDatabase{Name: c.name, Connection: c.connection}, asked)
		if (err == nil) != c.accepted {
			t.Errorf("checkFound(%q at %q), password_command %t: error %v, want accepted = %t",
				c.name, c.connection, c.command, err, c.accepted)
		}
	}
}
