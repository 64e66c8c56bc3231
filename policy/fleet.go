package policy

import (
	"regexp"
	"strings"

	"pgretain/internal/diag"
)

// Fleet is a file of --fleet: which databases there are, in the stages in which verbs go through them.
type Fleet struct {
	Version version `yaml:"version,required"`
	// What prints the password of a database, in its first line; {name} in an argument is the database's name.
	PasswordCommand []string     `yaml:"password_command,filled"`
	Parallel        int          `yaml:"parallel,1..1000"` // databases at the same time
	Stages          []FleetStage `yaml:"stages,required,filled"`
}

// FleetStage is databases that are gone through beside each other.
type FleetStage struct {
	Name string `yaml:"name"`
	// Nothing more is begun, here or in later stages, once more databases than this have failed; nil: goes on.
	MaxFailures *int64          `yaml:"max_failures,0..1000000"`
	Databases   []FleetDatabase `yaml:"databases,filled"`
	Found       *FleetQuery     `yaml:"found"`
	Position    diag.Position
}

// FleetDatabase is a database by its name in the fleet, and how to connect: a URL, or keywords with values.
type FleetDatabase struct {
	Name       string `name:"database"`
	Connection string
	Position   diag.Position
}

// FleetQuery finds databases: each row is a name and, in a second column, how to connect; without one, as to
// where the query is asked, in the database of that name.
type FleetQuery struct {
	Connection FleetDatabase `yaml:"connection,required"`
	Query      string        `yaml:"query,required"`
	Position   diag.Position
}

// ParseFleet reads and checks a fleet file as Parse does a policy file.
func ParseFleet(path string, source []byte) (*Fleet, diag.List) {
	return parse(path, source, &Fleet{Parallel: 8})
}

// check finds stages without databases, and databases that are in two.
func (fleet *Fleet) check(r *reader, _ mapping) {
	seen := map[string]diag.Position{}
	for _, stage := range fleet.Stages {
		if len(stage.Databases) == 0 && stage.Found == nil {
			r.add("P005 stage", stage.Position, nil)
		}
		for _, d := range stage.Databases {
			if first, twice := seen[d.Name]; twice {
				r.add("P026 database", d.Position, words{"Name": d.Name, "First": first})
			}
			seen[d.Name] = d.Position
		}
	}
}

func (d *FleetDatabase) read(r *reader, f field) {
	d.Position = r.fieldAt(f)
	d.Connection = r.text(f)
	if fault, hint := ConnectionFault(d.Connection); fault != "" {
		r.add("P020 connection", r.at(f.value), words{"Fault": fault, "Hint": hint})
	}
}

var (
	passwordWord = regexp.MustCompile(`(?:^|[\s?&])(?:ssl)?password\s*=`)
	connectURL   = regexp.MustCompile(`^postgres(?:ql)?://`)
	passwordURL  = regexp.MustCompile(`^[^/]*://[^/@]*:[^/]*@`)
)

// ConnectionFault says what is wrong with how a fleet connects, in words that quote nothing of it.
func ConnectionFault(connection string) (fault, hint string) {
	isURL := connectURL.MatchString(connection)
	switch {
	case passwordWord.MatchString(connection) || isURL && passwordURL.MatchString(connection):
		return "a fleet file holds no passwords",
			`Use "password_command", a password file, or a service of pg_service.conf.`
	case !isURL && !strings.Contains(connection, "="):
		return "these are no connection settings",
			"Write service=NAME, host=HOST dbname=NAME, or postgres://user@host:5432/database."
	}
	return "", ""
}
