CREATE FUNCTION app.never() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    RAISE EXCEPTION 'messages stay';
END $$;
CREATE TRIGGER never BEFORE DELETE ON app.message FOR EACH ROW EXECUTE FUNCTION app.never();
CREATE TRIGGER never BEFORE INSERT ON app.session FOR EACH ROW EXECUTE FUNCTION app.never();
-- What only tells is no error.
CREATE FUNCTION app.tells() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    RAISE NOTICE 'gone'; -- raise the alarm
    RETURN OLD;
END $$;
CREATE TRIGGER tells BEFORE DELETE ON app.session FOR EACH ROW EXECUTE FUNCTION app.tells();
