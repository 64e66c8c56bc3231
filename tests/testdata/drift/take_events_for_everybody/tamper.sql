-- A role of the application may be let in; everybody may not, and nobody may let others in.
DO $$ BEGIN CREATE ROLE drift_webhooks; EXCEPTION WHEN duplicate_object THEN END $$;
GRANT EXECUTE ON FUNCTION retention.window_of(text), retention.take_events(integer, text) TO drift_webhooks;
GRANT EXECUTE ON FUNCTION retention.take_events(integer, text) TO PUBLIC;
