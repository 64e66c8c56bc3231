CREATE FUNCTION app.keep_back() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER "Keep" BEFORE INSERT ON retention.hold FOR EACH ROW EXECUTE FUNCTION app.keep_back();
-- Switched off, and in another table of the schema that is no one's business.
CREATE TRIGGER off BEFORE INSERT ON retention.run FOR EACH ROW EXECUTE FUNCTION app.keep_back();
ALTER TABLE retention.run DISABLE TRIGGER off;
CREATE TABLE retention.own (id bigint);
CREATE TRIGGER own BEFORE INSERT ON retention.own FOR EACH ROW EXECUTE FUNCTION app.keep_back();
