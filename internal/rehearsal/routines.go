package rehearsal

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/diag"
)

// codeRoutine: what PostgreSQL would say when it comes to that line.
var codeRoutine = diag.Register("L050", "a routine would fail")

// fault is what plpgsql_check says of a routine.
type fault struct {
	Routine, Name                        string
	Line                                 int32
	SQLState, Message, Detail, Hint, SQL string
}

// checkRoutines looks at every statement of every routine, also those that no run would come to.
func (s *stage) checkRoutines(ctx context.Context) (string, error) {
	var n int
	err := s.with(ctx, s.database, "", func(ctx context.Context, conn *pgx.Conn) error {
		rows, _ := conn.Query(ctx, text("routines"), s.File.Install.Schema) // rows give the same error
		faults, err := pgx.CollectRows(rows, pgx.RowToStructByPos[fault])
		if err != nil {
			return err
		}
		for _, f := range faults {
			s.found.Add(s.fault(f))
		}
		return conn.QueryRow(ctx, text("routine_count"), s.File.Install.Schema).Scan(&n)
	})
	return plural(n, "routine", "routines") + " by plpgsql_check", err
}

func (s *stage) fault(f fault) diag.Diagnostic {
	d := diag.Diagnostic{Position: s.File.Install.Position, Code: codeRoutine, Detail: f.Detail, Hint: f.Hint,
		Message: fmt.Sprintf("line %d of %s would fail: %s", f.Line, f.Routine, f.Message)}
	if f.SQLState != "" {
		d.Message += fmt.Sprintf(" [%s]", f.SQLState)
	}
	for _, o := range s.Wanted {
		if name, _, _ := strings.Cut(o.Name, "("); o.Policy != "" && name == s.File.Install.Schema+"."+f.Name {
			d.Position = o.Position
		}
	}
	return d
}
