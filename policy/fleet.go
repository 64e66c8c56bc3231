package policy

import (
	"regexp"
	"strings"

	"pgretain/internal/diag"
	"pgretain/internal/messages"
)

// Fleet is a file of --fleet. It lists databases in stages; commands process the stages in order.
type Fleet struct {
	Version version `yaml:"version,required"`
	// PasswordCommand is a command that prints a database's password as its first line. In its
	// arguments, {name} is replaced by the database's name.
	PasswordCommand []string `yaml:"password_command,filled"`
	// databases processed at the same time; default 8
	Parallel int          `yaml:"parallel,1..1000"`
	Stages   []FleetStage `yaml:"stages,required,filled"`
}

// FleetStage is a group of databases that are processed in parallel.
type FleetStage struct {
	Name string `yaml:"name"`
	// MaxFailures is the number of databases that may fail. After more failures no further database
	// is started, in this stage or a later one. If it is nil, failures do not stop the command.
	MaxFailures *int64          `yaml:"max_failures,0..1000000"`
	Databases   []FleetDatabase `yaml:"databases,filled"`
	Found       *FleetQuery     `yaml:"found"`
	Position    diag.Position
}

// FleetDatabase is one database: its name in the fleet and its connection string. The connection
// string is a URL or a list of keywords and values.
type FleetDatabase struct {
	Name       string `name:"database"`
	Connection string
	Position   diag.Position
}

// FleetQuery finds databases by a query. Each row has a name and, as an optional second column, a
// connection string. Without the second column, the connection uses the connection string of the
// query, with the name from the row as the database.
type FleetQuery struct {
	Connection FleetDatabase `yaml:"connection,required"`
	Query      string        `yaml:"query,required"`
	Position   diag.Position
}

// ParseFleet reads and checks a fleet file. It returns errors like Parse.
func ParseFleet(path string, source []byte) (*Fleet, diag.List) {
	return parse(path, source, &Fleet{Parallel: 8})
}

// check reports stages without databases, and databases that are listed twice.
func (fleet *Fleet) check(r *reader, _ mapping) {
	seen := map[string]diag.Position{}
	for _, stage := range fleet.Stages {
		if len(stage.Databases) == 0 && stage.Found == nil {
			r.add(messages.EmptyStage, stage.Position)
		}
		for _, d := range stage.Databases {
			if first, twice := seen[d.Name]; twice {
				r.add(messages.DatabaseTwice(d.Name, first), d.Position)
			}
			seen[d.Name] = d.Position
		}
	}
}

func (d *FleetDatabase) read(r *reader, f field) {
	d.Position = r.fieldAt(f)
	d.Connection = r.text(f)
	if fault, hint := ConnectionFault(d.Connection); fault != "" {
		r.add(messages.InvalidConnection(fault, hint), r.at(f.value))
	}
}

var (
	passwordWord = regexp.MustCompile(`(?:^|[\s?&])(?:ssl)?password\s*=`)
	connectURL   = regexp.MustCompile(`^postgres(?:ql)?://`)
	passwordURL  = regexp.MustCompile(`^[^/]*://[^/@]*:[^/]*@`)
)

// ConnectionFault returns what is wrong with a connection string, and a hint. Neither text quotes
// the connection string, which may contain a password. Both are "" if nothing is wrong.
func ConnectionFault(connection string) (fault, hint string) {
	isURL := connectURL.MatchString(connection)
	switch {
	case passwordWord.MatchString(connection) || isURL && passwordURL.MatchString(connection):
		return "the connection contains a password",
			`Use "password_command", a password file, or a service of pg_service.conf.`
	case !isURL && !strings.Contains(connection, "="):
		return "the text is not a connection string",
			"Write service=NAME, host=HOST dbname=NAME, or postgres://user@host:5432/database."
	}
	return "", ""
}
