prepare() {
	cat >source.js <<-'END'
		const { DataSource, EntitySchema } = require('typeorm')
		const note = new EntitySchema({
			name: 'note',
			columns: {
				id: { type: 'bigint', primary: true },
				at: { type: 'timestamptz' },
				kept_for: { type: 'text', nullable: true },
			},
			indices: [{ name: 'note_at', columns: ['at'] }],
		})
		exports.source = new DataSource({ type: 'postgres', url: process.env.DATABASE_URL, entities: [note] })
	END
}
create() { typeorm schema:sync -d source.js; }
differences() { typeorm schema:log -d source.js | grep -E 'ALTER|DROP|CREATE' || true; }
