prepare() {
	mkdir -p alembic/versions
	cat >alembic.ini <<-'END'
		[alembic]
		script_location = alembic
	END
	cat >alembic/env.py <<-'END'
		from alembic import context
		from sqlalchemy import create_engine
		with create_engine("postgresql+psycopg2://").connect() as connection:
		    context.configure(connection=connection, transaction_per_migration=True)
		    with context.begin_transaction():
		        context.run_migrations()
	END
	previous=None
}
wrap() {
	local last
	last=$(ls alembic/versions/ | tail -n 1)
	last=${last%%_*}
	sed "s/00001/${1%%_*}/; s/None/${last:+\"$last\"}/" wrapper >"alembic/versions/$1.py"
	[[ -n $last ]] || cp wrapper "alembic/versions/$1.py"
}
up() { /usr/bin/python3 -m alembic.config upgrade head; }
down() { /usr/bin/python3 -m alembic.config downgrade "-$1"; }
