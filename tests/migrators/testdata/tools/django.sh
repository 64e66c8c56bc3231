prepare() {
	mkdir -p shop/migrations
	touch shop/__init__.py shop/migrations/__init__.py
	cat >manage.py <<-'END'
		import os, sys
		from django.conf import settings
		settings.configure(
		    INSTALLED_APPS=["shop"], USE_TZ=True, DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
		    DATABASES={"default": {"ENGINE": "django.db.backends.postgresql", "NAME": os.environ["PGDATABASE"]}})
		from django.core.management import execute_from_command_line
		execute_from_command_line(sys.argv)
	END
	cat >shop/migrations/00000_initial.py <<-'END'
		from django.db import migrations
		class Migration(migrations.Migration):
		    dependencies = []
	END
}
wrap() {
	local last
	last=$(ls shop/migrations/ | grep -v '^__' | tail -n 1)
	sed "s/00001_pgretain_runtime/$1/; s/00000_initial/${last%.py}/" wrapper >"shop/migrations/$1.py"
}
up() { /usr/bin/python3 manage.py migrate shop; }
down() {
	local to
	to=$(ls shop/migrations/ | grep -v '^__' | tail -n "$(($1 + 1))" | head -n 1)
	/usr/bin/python3 manage.py migrate shop "${to%.py}"
}
unwrap() { rm "shop/migrations/$1.py"; }
