prepare() {
	cat >source.js <<-'END'
		const { DataSource } = require('typeorm')
		exports.source = new DataSource({
			type: 'postgres', url: process.env.DATABASE_URL, migrations: ['retention/*.js'], migrationsTransactionMode: 'each',
		})
	END
}
wrap() { cp wrapper "retention/$1.js"; }
up() { typeorm migration:run -d source.js; }
down() { for _ in $(seq "$1"); do typeorm migration:revert -d source.js; done; }
