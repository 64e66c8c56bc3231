-- as migrator
-- For policy settable. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_loan_099075a4');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_loan_099075a4_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_loan_099075a4 ON app.loan (used_at, id);
-- next
COMMENT ON INDEX app.pgretain_loan_099075a4 IS 'pgretain: index of policy settable';
-- next
SELECT retention._record_index('app', 'pgretain_loan_099075a4');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_loan_099075a4;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_loan_099075a4_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_loan_099075a4';
