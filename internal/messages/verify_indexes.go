package messages

import (
	"fmt"
	"strings"

	"pgretain/internal/diag"
	"pgretain/internal/quote"
)

const readsAll = "Runs of the policy read the whole table."

// indexOn names an index and the table that it is on, if that is known.
func indexOn(name, table string) string {
	if table == "" {
		return fmt.Sprintf("index %q", name)
	}
	return fmt.Sprintf("index %q on table %q", name, table)
}

func IndexMissing(name, build string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeIndexMissing, Message: fmt.Sprintf("index %q is missing", name), Detail: readsAll,
		Hint: build}
}

// IndexRenamed takes the present name of the index as SQL.
func IndexRenamed(name, present string) diag.Diagnostic {
	_, own, _ := strings.Cut(name, ".")
	return diag.Diagnostic{Code: CodeIndexMissing, Message: fmt.Sprintf("index %q was renamed to %s", name, present),
		Detail: "Runs of the policy use it. A migration that changes the index would not find it.",
		Hint:   fmt.Sprintf("ALTER INDEX %s RENAME TO %s;", present, quote.Ident(own))}
}

// IndexReplaced takes the name, as SQL, of another index that does the same.
func IndexReplaced(name, other string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeIndexMissing, Message: fmt.Sprintf("index %q is missing", name),
		Detail: fmt.Sprintf("Runs of the policy use index %s, which has the same definition.", other),
		Hint:   `Run "pgretain snapshot" and "pgretain generate", and migrate.`}
}

func IndexInvalid(name, table, build string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeIndexInvalid, Message: indexOn(name, table) + " is invalid",
		Detail: "A concurrent build did not finish; queries cannot use the index.", Hint: build}
}

// IndexNotRecorded takes the statement that records the definition of the index.
func IndexNotRecorded(name, table, record string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeIndexDiffers, Severity: diag.Unknown,
		Message: "no migration recorded how " + indexOn(name, table) + " was built",
		Detail:  "There is no recorded definition to compare it with. Check the index. If it is right, record it.",
		Hint:    record}
}

// IndexElsewhere takes the wanted and the present table and definition of an index.
func IndexElsewhere(name, table, present, want, got, move string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeIndexDiffers,
		Message: fmt.Sprintf("index %q is on table %q, not on table %q", name, present, table),
		Want:    want, Got: got, Detail: readsAll, Hint: move}
}

// IndexDiffers takes the recorded and the present definition of an index, and the statements that
// record the present definition or build the recorded one.
func IndexDiffers(name, table, want, got, record, rebuild string) diag.Diagnostic {
	return diag.Diagnostic{Code: CodeIndexDiffers,
		Message: indexOn(name, table) + " differs from the index that was built", Want: want, Got: got,
		Detail: "If it is right, for example after a change of a column's type, record it: " + record,
		Hint:   rebuild}
}

// IndexOrphan is an index that pgretain built and no policy wants.
type IndexOrphan struct {
	Name, SQL   string
	Table       string
	Comment     string
	Partitioned bool
}

func OrphanIndex(i IndexOrphan) diag.Diagnostic {
	d := diag.Diagnostic{Code: CodeIndexOrphan, Object: i.Name, Table: i.Table,
		Message: fmt.Sprintf(`index "%s" on table "%s" is wanted by no policy`, i.Name, i.Table),
		Detail:  "Each write to the table maintains it. Its comment: " + i.Comment,
		Hint:    fmt.Sprintf("DROP INDEX CONCURRENTLY %s;", i.SQL)}
	if i.Partitioned {
		d.Hint = fmt.Sprintf("DROP INDEX %s;", i.SQL)
	}
	return d
}
