-- Reached by a cascade; deferred; and for the whole statement, which the catalog snapshot does not list.
CREATE FUNCTION app.count_down() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE totals SET n = n - 1;
    RETURN NULL;
END $$;
CREATE TRIGGER count_down AFTER DELETE ON app.attachment FOR EACH ROW EXECUTE FUNCTION app.count_down();
CREATE CONSTRAINT TRIGGER count_later AFTER DELETE ON app.message DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION app.count_down();
CREATE TRIGGER count_all AFTER DELETE ON app.session EXECUTE FUNCTION app.count_down();
CREATE FUNCTION app.own_path() RETURNS trigger LANGUAGE plpgsql SET search_path = app AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER own_path AFTER DELETE ON app.session FOR EACH ROW EXECUTE FUNCTION app.own_path();
