prepare() { mkdir postgrator; }
wrap() {
	cp "retention/$1.up.sql" "postgrator/${1%%_*}.do.${1#*_}.sql"
	cp "retention/$1.down.sql" "postgrator/${1%%_*}.undo.${1#*_}.sql"
}
run() {
	ln -sfn "$NODE_PATH" node_modules # import does not search NODE_PATH
	cat >postgrator.mjs <<-'END'
		import Postgrator from 'postgrator'
		import pg from 'pg'
		const client = new pg.Client(process.env.DATABASE_URL)
		await client.connect()
		const postgrator = new Postgrator({
			migrationPattern: 'postgrator/*', driver: 'pg', schemaTable: 'public.schemaversion',
			execQuery: query => client.query(query),
		})
		const version = await postgrator.getDatabaseVersion().catch(() => 0)
		const back = Number(process.argv[2])
		await postgrator.migrate(back ? String(version - back) : 'max')
		await client.end()
	END
	node postgrator.mjs "$1"
}
up() { run 0; }
down() { run "$1"; }
