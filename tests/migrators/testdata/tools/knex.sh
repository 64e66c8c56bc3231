prepare() {
	cat >knexfile.js <<-'END'
		module.exports = {
			client: 'pg', connection: process.env.DATABASE_URL,
			migrations: { directory: 'retention', loadExtensions: ['.js'] },
		}
	END
}
wrap() { cp wrapper "retention/$1.js"; }
up() { knex migrate:latest; }
down() { for _ in $(seq "$1"); do knex migrate:down; done; }
