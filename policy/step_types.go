package policy

import "pgretain/internal/diag"

// Step is one effect: exactly one verb is set. Without Related it acts on the batch's rows that meet
// Where, with Related on related rows, and Where is nil.
type Step struct {
	Where     *Expr
	Related   *Related
	Delete    *Delete
	Update    *Update
	Insert    *Insert
	Archive   *Archive
	Emit      *Emit
	SQL       *Expr // one statement over the relation "batch"
	Detach    *Detach
	Drop      *Drop
	DropTable *Expr // the name of a table, from the row
	Position  diag.Position
}

// Related is the table, as, where of a step on related rows. Joins are its own; they read its row
// as well.
type Related struct {
	Table Table
	As    string
	Where Expr
	Joins []Join
}

// Delete removes rows; Cascades lists the tables that foreign keys may reach.
type Delete struct{ Cascades []Table }

// Update sets columns; it writes only rows that would change. Undo, on the batch's own rows only,
// says what restore sets.
type Update struct {
	Set  []Assignment
	Undo []Assignment
}

// Insert writes into another table: with Key one row per group, which changes the row that exists
// by Add, Max, Min and Set; with Per one new row per group, read by later steps as As; otherwise
// one row for each.
type Insert struct {
	Into               Table
	As                 string // "" for none
	Key, Per           []Assignment
	Add, Max, Min, Set []Assignment
}

// Archive copies whole rows: columns of equal names and Set, or the row as a document.
type Archive struct {
	Into     Table
	Set      []Assignment
	Document string // the jsonb column for the whole row; "" for columns
	Existing string // "refuse" (default), "keep" or "replace"
	Create   bool
}

// Emit writes one event for each row.
type Emit struct {
	Event   string
	Payload []Assignment
}

// Detach and Drop act on a partition.
type (
	Detach struct{}
	Drop   struct{}
)

// Assignment gives a column, or a key of a payload, its value.
type Assignment struct {
	Column   string
	Value    Expr
	Position diag.Position // of the column
}

// Name is a name where the file mentions it.
type Name struct {
	Text     string
	Position diag.Position
}
