-- The extension gets a schema of its own, so that no name conflicts with the schema file.
CREATE SCHEMA rehearsal;
CREATE EXTENSION plpgsql_check SCHEMA rehearsal;
