ALTER TABLE app.message DISABLE TRIGGER ALL;
-- The side that checks what refers, and a key that no delete meets.
ALTER TABLE app.attachment DISABLE TRIGGER ALL;
-- A trigger of the application that is off, and stays so.
CREATE FUNCTION app.sleeping() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER sleeping BEFORE DELETE ON app.message FOR EACH ROW EXECUTE FUNCTION app.sleeping();
ALTER TABLE app.message DISABLE TRIGGER sleeping;
