package verifier

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"pgretain/internal/quote"
)

var codeSequenceBehind = register("V018", Installed, "a sequence of the runtime is behind its table")

// lateSequence would give out a number that a row of its table has.
type lateSequence struct {
	Table, Sequence string
	Largest         int64
}

func (v *inspection) checkSequences(ctx context.Context, tx pgx.Tx) error {
	rows, err := many[lateSequence](ctx, tx, v.query("sequences_behind"))
	for _, r := range rows {
		v.sequenceBehind(r)
	}
	return err
}

func (v *inspection) sequenceBehind(r lateSequence) {
	v.add(Finding{Code: codeSequenceBehind, Object: v.install.Schema + "." + r.Sequence,
		Message: fmt.Sprintf("sequence %q is behind table %q", v.install.Schema+"."+r.Sequence, v.install.Schema+"."+r.Table),
		Detail:  fmt.Sprintf("The next number is one that the table has, or a smaller one; the largest is %d. Functions that write there fail (23505).", r.Largest),
		Hint:    fmt.Sprintf("SELECT setval(%s, %d);", quote.Literal(v.runtime(sqlName(r.Sequence))), r.Largest)})
}
