package messages

import (
	"fmt"

	"pgretain/internal/diag"
)

// Faults that commands find in their arguments and in the database. They have no code.

func NotInFile(path, name string, known []string) diag.Diagnostic {
	return diag.Diagnostic{Message: fmt.Sprintf("%s has no policy or report %q", path, name),
		Hint: DidYouMean(name, known)}
}

func NotInDatabase(table, database string) diag.Diagnostic {
	return diag.Diagnostic{Message: fmt.Sprintf("table %q does not exist in database %q", table, database),
		Hint: "Check the name and install.search_path, or create the table first."}
}
