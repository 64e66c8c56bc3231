-- After a CALL that failed: a cancel that arrived during a COMMIT leaves the run open.
SELECT retention.settle();
