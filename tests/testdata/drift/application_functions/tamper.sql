-- What policies make besides batches: claim, touch, a stored join, and a report with its row.
GRANT EXECUTE ON FUNCTION retention.trades_claim(text, interval) TO PUBLIC;
DROP FUNCTION retention.trades_seen(text[]);
ALTER FUNCTION retention.tracked_touch(text[]) SET search_path = app;
DROP TABLE retention.tracked_c;
DROP FUNCTION retention.rate_report(timestamptz);
UPDATE retention.policy SET report = false WHERE name = 'rate';
