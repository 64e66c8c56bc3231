prepare() {
	mkdir -p db/migrate
	cat >migrate.rb <<-'END'
		ENV.delete('DATABASE_URL') # Rails wants a host in it
		require 'active_record'
		ActiveRecord::Base.establish_connection(adapter: 'postgresql', database: ENV['PGDATABASE'])
		context = ActiveRecord::MigrationContext.new('db/migrate', ActiveRecord::SchemaMigration)
		ARGV[0] == 'up' ? context.migrate : context.rollback(ARGV[0].to_i)
	END
}
wrap() {
	local name
	name=$(sed 's/^[0-9]*_//; s/\(^\|_\)\(.\)/\U\2/g' <<<"$1")
	sed "s/00001_pgretain_runtime/$1/; s/PgretainRuntime1/$name${1%%_*}/" wrapper >"db/migrate/$1_${1%%_*}.rb"
}
up() { ruby migrate.rb up; }
down() { ruby migrate.rb "$1"; }
