package policy

import "pgretain/internal/diag"

// Claim makes an "expires" policy a deduplication set: functions claim, seen and advance.
type Claim struct {
	Key      Name
	TTL      Window       // one tier, never tiered
	Set      []Assignment // columns of a new entry besides key and clock; reads as_of only
	Cursor   *Cursor
	Grant    []Name // roles that may call the functions
	Position diag.Position
}

// Cursor is a row that only moves forward.
type Cursor struct {
	Table    Table
	Key      Name
	Columns  []Name // the position, most significant first
	Position diag.Position
}

// Touch generates a function that sets columns of the rows with given keys.
type Touch struct {
	Key      Name
	Set      []Assignment
	Revive   *Revive
	Grant    []Name
	Position diag.Position
}

// Revive makes a row that went anew, from a row of another table.
type Revive struct {
	Table    Table
	As       string
	Set      []Assignment // the touched key's column among them
	Emit     string       // "" for none
	Position diag.Position
}

// Grants lists the roles that may call the functions which a policy makes for applications.
func (p *Policy) Grants() []Name {
	var list []Name
	if p.Claim != nil {
		list = append(list, p.Claim.Grant...)
	}
	if p.Touch != nil {
		list = append(list, p.Touch.Grant...)
	}
	return list
}
