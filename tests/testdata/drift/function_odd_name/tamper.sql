-- Names that need quotes in a hint.
CREATE FUNCTION retention."odd (name"(text) RETURNS text LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION retention."dot.ted"(text) RETURNS text LANGUAGE sql AS 'SELECT $1';
CREATE PROCEDURE retention."select"() LANGUAGE sql AS 'SELECT 1';
CREATE TABLE retention."odd (table" ();
GRANT SELECT ON retention."odd (table" TO PUBLIC;
