-- In a schema of its own, which the application's schema does not have.
CREATE SCHEMA rehearsal;
CREATE EXTENSION plpgsql_check SCHEMA rehearsal;
