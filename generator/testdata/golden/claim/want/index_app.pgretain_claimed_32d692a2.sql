-- as migrator
-- For policy claimed. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_claimed_32d692a2');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_claimed_32d692a2_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_claimed_32d692a2 ON app.claimed (expires_at, hash);
-- next
COMMENT ON INDEX app.pgretain_claimed_32d692a2 IS 'pgretain: index of policy claimed';
-- next
SELECT retention._record_index('app', 'pgretain_claimed_32d692a2');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_claimed_32d692a2;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_claimed_32d692a2_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_claimed_32d692a2';
