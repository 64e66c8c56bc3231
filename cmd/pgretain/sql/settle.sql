-- After a CALL that failed: a cancel that arrived during a COMMIT leaves the run open. Also what sessions left that are gone.
SELECT s.ended FROM retention.mark_abandoned() s (ended);
