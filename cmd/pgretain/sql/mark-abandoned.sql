-- Returns how many runs were marked. Also called after a CALL that failed: a cancel request during
-- a COMMIT leaves the run "running" in the log.
SELECT s.ended FROM retention.mark_abandoned() s (ended);
