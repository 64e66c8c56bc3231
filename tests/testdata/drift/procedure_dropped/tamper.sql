DROP PROCEDURE retention.run(text, timestamptz, text, text, interval, jsonb, boolean);
