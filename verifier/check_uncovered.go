package verifier

import (
	"fmt"
	"strings"

	"pgretain/internal/diag"
)

var codeUncovered = register("V080", Coverage, "a table without policy, protection or exemption")

// uncovered: size is "" where it could not be read.
func (v *inspection) uncovered(t uncovered, size string, at diag.Position) {
	name := t.Schema + "." + t.Table
	what := "table"
	if t.Partitioned {
		what = "partitioned table"
	} else if t.Persistence == "u" {
		what = "unlogged table"
	}
	v.add(Finding{Code: codeUncovered, Object: name, Position: at,
		Message: fmt.Sprintf("%s %q has no policy, no protection and no exemption", what, name),
		Detail:  strings.Join(append(v.growth(t, size), v.writers(name)...), " "),
		Hint:    fmt.Sprintf(`Write a policy for it, or name %s under "protect" or under "exempt" of "coverage".`, name)})
}

// growth says how large a table is, and what it got.
func (v *inspection) growth(t uncovered, size string) []string {
	var facts []string
	if t.Partitioned && t.Parts == 0 {
		return []string{"It has no partition yet."}
	}
	if size != "" {
		facts = append(facts, "It takes "+size)
	} else {
		facts = append(facts, "Its size could not be read, for somebody has it to himself")
	}
	if t.Partitioned {
		facts[0] += fmt.Sprintf(" in %s", plural(t.Parts, "partition"))
	}
	if t.Rows != nil {
		facts[0] += fmt.Sprintf(", about %s", plural(int(*t.Rows), "row"))
	}
	facts[0] += "."
	if t.Inserted != nil {
		since := "its statistics began"
		if t.Since != nil {
			since = instant(*t.Since)
		}
		facts = append(facts, fmt.Sprintf("%s inserted since %s.", were(*t.Inserted), since))
	}
	return facts
}

func were(rows int64) string {
	if rows == 1 {
		return "1 row was"
	}
	return fmt.Sprintf("%d rows were", rows)
}

// writers says which policies make a table grow, or name it and take nothing.
func (v *inspection) writers(name string) []string {
	var list []string
	for _, p := range v.file.Policies {
		for i, use := range p.Uses() {
			switch {
			case use.Table.String() != name:
				continue
			case i == 0:
				list = append(list, fmt.Sprintf("Policy %q is about it, and leaves its rows as they are.", p.Name))
			case use.Access.Insert:
				list = append(list, fmt.Sprintf("Policy %q writes to it.", p.Name))
			case use.Reached:
				list = append(list, fmt.Sprintf("Policy %q has it under \"cascades\", but no foreign key of it deletes rows.", p.Name))
			default:
				continue
			}
			break
		}
	}
	return list
}
