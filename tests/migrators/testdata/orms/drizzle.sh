prepare() {
	cat >drizzle.config.js <<-'END'
		module.exports = { dialect: 'postgresql', schema: './schema.js', dbCredentials: { url: process.env.DATABASE_URL } }
	END
	cat >schema.js <<-'END'
		const { bigint, index, pgTable, text, timestamp } = require('drizzle-orm/pg-core')
		exports.note = pgTable('note', {
			id: bigint('id', { mode: 'number' }).primaryKey(),
			at: timestamp('at', { withTimezone: true }).notNull(),
			keptFor: text('kept_for'),
		}, table => [index('note_at').on(table.at)])
	END
}
create() { drizzle-kit push --force; }
differences() { drizzle-kit push --force --verbose | grep -E '^ *(ALTER|DROP|CREATE)' || true; }
