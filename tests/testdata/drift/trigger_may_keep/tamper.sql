-- NEW is NULL on DELETE.
CREATE FUNCTION app.touch_session() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    RETURN NEW;
END $$;
CREATE TRIGGER touch_session BEFORE UPDATE OR DELETE ON app.session FOR EACH ROW EXECUTE FUNCTION app.touch_session();
-- What fires on deletes and does no harm, and what does not fire.
CREATE FUNCTION app.guard() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    RETURN OLD;
END $$;
CREATE TRIGGER guard BEFORE DELETE ON app.session FOR EACH ROW EXECUTE FUNCTION app.guard();
CREATE TRIGGER after_delete AFTER DELETE ON app.session FOR EACH ROW EXECUTE FUNCTION app.touch_session();
CREATE TRIGGER before_insert BEFORE INSERT ON app.session FOR EACH ROW EXECUTE FUNCTION app.touch_session();
CREATE TRIGGER off BEFORE DELETE ON app.session FOR EACH ROW EXECUTE FUNCTION app.touch_session();
ALTER TABLE app.session DISABLE TRIGGER off;
CREATE TRIGGER on_replica BEFORE DELETE ON app.session FOR EACH ROW EXECUTE FUNCTION app.touch_session();
ALTER TABLE app.session ENABLE REPLICA TRIGGER on_replica;
CREATE TRIGGER elsewhere BEFORE DELETE ON app.unnamed FOR EACH ROW EXECUTE FUNCTION app.touch_session();
