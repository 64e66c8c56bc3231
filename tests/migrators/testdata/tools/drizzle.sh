# drizzle-kit has no way back. Its files go into its own folder, with a line each in the journal.
prepare() {
	cat >drizzle.config.js <<-'END'
		module.exports = { dialect: 'postgresql', out: 'drizzle', schema: './schema.js', dbCredentials: { url: process.env.DATABASE_URL } }
	END
	echo 'module.exports = {}' >schema.js
}
wrap() {
	drizzle-kit generate --custom --name "$1"
	cp "retention/$1.up.sql" drizzle/*_"$1".sql
}
up() { drizzle-kit migrate; }
