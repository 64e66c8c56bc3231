-- Returns the bytes of WAL since the cluster was created.
SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint
