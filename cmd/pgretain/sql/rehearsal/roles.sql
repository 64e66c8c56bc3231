-- rehearsal_loader loads the schema file. rehearsal_migrator migrates if the schema file names no
-- owner; through pg_database_owner it has CREATE on schema public.
CREATE ROLE rehearsal_loader SUPERUSER LOGIN;
CREATE ROLE rehearsal_migrator;
