package policy

import "go.yaml.in/yaml/v3"

func (r *reader) clock(f field, kind string, s scope) *Clock {
	m, ok := r.mapping(f, quoted(kind), clockShapes[kind])
	if !ok {
		return nil
	}
	c := &Clock{Kind: kind, Position: r.fieldAt(f)}
	if s.partitions {
		r.partitionClock(m)
	} else {
		r.clockValue(c, m, s)
	}
	c.Encoding = r.encoding(m.fields["encoding"])
	c.NullsDue = r.choice(m.fields["nulls"], "keep", "due") == "due"
	c.NullsKept = m.has("nulls") && !c.NullsDue
	c.Inclusive = r.boolean(m.fields["inclusive"])
	c.UpTo = r.upTo(m.fields["up_to"], s)
	switch kind {
	case "age":
		if olderThan, ok := m.require("older_than"); ok {
			c.Window = r.window(olderThan, false, s)
		}
	case "expires":
		c.Window = r.grace(c, m, s)
	case "position":
		r.position(c, m)
	}
	return c
}

func (r *reader) grace(c *Clock, m mapping, s scope) Window {
	if grace, ok := m.fields["grace"]; ok {
		return r.window(grace, true, s)
	}
	none := Tier{Interval: Interval{Text: "0 days", Position: c.Position}, Position: c.Position}
	return Window{Tiers: []Tier{none}, Position: c.Position}
}

func (r *reader) clockValue(c *Clock, m mapping, s scope) {
	if m.has("column") == m.has("expression") {
		r.add(codeConflict, c.Position, m.what+` needs either "column" or "expression"`, "", "")
	}
	if column, ok := m.fields["column"]; ok {
		c.Column, c.ColumnPos = r.columnName(column), r.at(column.value)
	}
	if expression, ok := m.fields["expression"]; ok {
		c.Expression, c.ColumnPos = r.expression(expression, s), r.at(expression.value)
	}
}

func (r *reader) columnName(f field) string {
	parts, ok := r.identifier(f, "a column", 1)
	if !ok {
		return ""
	}
	return parts[0]
}

var (
	encodingShape  = shape{keys: []string{"snowflake"}}
	snowflakeShape = shape{keys: []string{"shift", "epoch"}}
)

// encoding is a word, or the map of a snowflake key.
func (r *reader) encoding(f field) Encoding {
	if f.value == nil {
		return Encoding{}
	}
	e := Encoding{Position: r.at(f.value)}
	if resolve(f.value).Kind != yaml.MappingNode {
		if text, ok := r.text(f); ok && text == "snowflake" {
			r.add(codeMissing, e.Position, `"snowflake" needs the keys "shift" and "epoch"`, "", "Write {snowflake: {shift: 22, epoch: 1288834974657}}.")
		} else if ok {
			e.Kind = r.choice(f, "epoch_s", "epoch_ms", "uuidv7", "ulid")
		}
		return e
	}
	m, ok := r.mapping(f, `"encoding"`, encodingShape)
	if !ok {
		return e
	}
	snowflake, ok := m.require("snowflake")
	if !ok {
		return e
	}
	return r.snowflake(snowflake, e)
}

func (r *reader) snowflake(f field, e Encoding) Encoding {
	m, ok := r.mapping(f, `"snowflake"`, snowflakeShape)
	if !ok {
		return e
	}
	e.Kind = "snowflake"
	if shift, ok := m.require("shift"); ok {
		e.Shift = int(r.between(shift, 0, 62, 0))
	}
	if epoch, ok := m.require("epoch"); ok {
		e.Epoch = r.between(epoch, 0, maxEpoch, 0)
	}
	return e
}

// maxEpoch is the year 9999 in milliseconds.
const maxEpoch = 253402300799999
