package generator

import (
	"regexp"
	"strings"

	"pgretain/internal/pgparse"
)

// settings are what the lines between the objects of a file say: search_path and roles.
type settings struct {
	path  string // as SET has it
	roles map[As]string
}

var (
	pathLine    = regexp.MustCompile(`^SET (?:LOCAL )?search_path = (.*);$`)
	setRoleLine = regexp.MustCompile(`^SET LOCAL ROLE (.*);$`)
)

// readSettings reads the way up of a file. With "roles: none" what belongs to owner and runner is
// created as role "".
func readSettings(l tool, body string) settings {
	if l.unescape != nil {
		body = l.unescape.Replace(body)
	}
	s := settings{roles: map[As]string{}}
	role, inside := "", false
	for body != "" {
		if inside {
			body = body[untilLine(body, ourPrefix):]
		}
		var line string
		line, body, _ = strings.Cut(body, "\n")
		a, opens := readMark(line)
		switch {
		case opens:
			inside = true
			s.roles[a.object.As] = role
		case line == endMark:
			inside = false
		case strings.HasPrefix(line, "RESET ROLE"):
			role = ""
		case setRoleLine.MatchString(line):
			if name, err := pgparse.Name(setRoleLine.FindStringSubmatch(line)[1]); err == nil && len(name) == 1 {
				role = name[0]
			}
		case pathLine.MatchString(line) && s.path == "":
			s.path = pathLine.FindStringSubmatch(line)[1]
		case line == l.downLine && !l.separate():
			return s
		}
	}
	return s
}
