-- as migrator
-- For policy items. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('app', 'pgretain_item_d85222fb');
-- next
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_item_d85222fb_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_item_d85222fb ON app.item (at, id);
-- next
COMMENT ON INDEX app.pgretain_item_d85222fb IS 'pgretain: index of policy items';
-- next
SELECT retention._record_index('app', 'pgretain_item_d85222fb');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_item_d85222fb;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS app.pgretain_item_d85222fb_invalid;
-- next
DELETE FROM retention.index_definition WHERE schema_name = 'app' AND index_name = 'pgretain_item_d85222fb';
