-- Moves all runs of the log one hour into the past.
UPDATE retention.run SET started_at = started_at - interval '1 hour', ended_at = ended_at - interval '1 hour'
