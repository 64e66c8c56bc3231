-- as migrator
-- For policy loans. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_loan_85933fdc');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_loan_85933fdc_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_loan_85933fdc ON app.loan (created_at, id);
-- next
COMMENT ON INDEX app.pgretain_loan_85933fdc IS 'pgretain: index of policy loans';
-- next
SELECT retention._record_index('app', 'pgretain_loan_85933fdc');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_loan_85933fdc;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_loan_85933fdc_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_loan_85933fdc';
