-- As if an hour had passed since the last run.
UPDATE retention.run SET started_at = started_at - interval '1 hour', ended_at = ended_at - interval '1 hour'
