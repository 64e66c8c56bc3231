-- Parameter: $1 schema of the runtime. pg_advisory_lock would wait with a snapshot. Then a CREATE
-- INDEX CONCURRENTLY in the session that holds the lock would wait for this snapshot.
SELECT pg_try_advisory_lock(hashtextextended('pgretain migrate ' || $1, 0));
