package install

import (
	"github.com/jackc/pgx/v5/pgconn"
)

const again = "Then migrate again: it goes on with this file."

// hints say what to do about what a database refuses in the middle of a migration, by SQLSTATE.
// https://www.postgresql.org/docs/current/errcodes-appendix.html
var hints = map[string]string{
	"23505": "Rows that are there already have one key twice, or somebody else makes the same object. Look at the detail. " + again,
	"25006": "The server takes no writes. Connect to the primary, or let it write. " + again,
	"40P01": "Migrate again: nothing of the statement was done.",
	"42501": "The migrating role must own the tables of the policies, and have CREATE on their schemas to build indexes.",
	"42701": "Somebody else made it. Rename or drop it. " + again,
	"42703": "The table has changed since the migration was written. " + rewrite,
	"42710": "Somebody else made it. Rename or drop it. " + again,
	"42723": "Somebody else made it. Rename or drop it. " + again,
	"42809": "Somebody else made an object of this name. Rename or drop it. " + again,
	"42P01": "The tables have changed since the migration was written. " + rewrite,
	"42P07": "Somebody else made it. Rename or drop it. " + again,
	"53100": "Make room on the server's disk. " + again,
	"53200": "The server is short of memory. " + again,
	"53300": "Wait until others have left, or raise max_connections. Then migrate again.",
	"53400": "Raise the limit for the migrating role. " + again,
	"55P03": "Another transaction has the table for longer than a migration may keep others waiting behind it: " +
		"let it end, or cancel it. Nothing of the statement was done. " + again,
	"57014": "Somebody cancelled the statement. Migrate again: it goes on with this file.",
	"57P01": "Somebody ended the session, or the server shut down. Migrate again: it goes on with this file.",
	"57P02": "The server crashed. Migrate again when it is back: it goes on with this file.",
	"57P03": "The server starts or shuts down. Migrate again when it is back.",
}

const rewrite = "Remove the files that are not applied, then run \"pgretain snapshot\" and \"pgretain generate\"."

// hint is the server's own, or ours.
func hint(server *pgconn.PgError) string {
	if server.Hint != "" {
		return server.Hint
	}
	return hints[server.Code]
}
