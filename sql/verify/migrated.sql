-- When the last migration was applied, NULL for never.
SELECT max(v.tstamp)::timestamptz FROM retention.goose_db_version v WHERE v.version_id > 0
