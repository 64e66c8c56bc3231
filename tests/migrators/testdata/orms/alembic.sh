# The models do not know the index and the column of pgretain. A filter hides both.
prepare() {
	mkdir -p alembic/versions
	cat >alembic.ini <<-'END'
		[alembic]
		script_location = alembic
	END
	cp "$(dirname "$(/usr/bin/python3 -c 'import alembic; print(alembic.__file__)')")/templates/generic/script.py.mako" alembic/
	cp recipe alembic/env.py
	cat >>alembic/env.py <<-'END'
		from alembic import context
		from sqlalchemy import BigInteger, Column, DateTime, MetaData, Table, create_engine
		metadata = MetaData()
		Table("note", metadata, Column("id", BigInteger, primary_key=True, autoincrement=False),
		      Column("at", DateTime(timezone=True), nullable=False))
		with create_engine("postgresql+psycopg2://").connect() as connection:
		    context.configure(connection=connection, target_metadata=metadata, include_object=include_object)
		    with context.begin_transaction():
		        context.run_migrations()
	END
}
create() {
	/usr/bin/python3 -m alembic.config revision --autogenerate -m first
	/usr/bin/python3 -m alembic.config upgrade head
}
# Prints what the ORM would change.
differences() {
	/usr/bin/python3 -m alembic.config revision --autogenerate -m second >&2
	grep -hE '^    op\.' alembic/versions/*_second.py || true
	rm alembic/versions/*_second.py
}
