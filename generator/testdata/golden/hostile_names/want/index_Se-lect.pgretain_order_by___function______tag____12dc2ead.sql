-- as migrator
-- For policy names. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('Se"lect', 'pgretain_order_by___function______tag____12dc2ead');
-- next
DROP INDEX CONCURRENTLY IF EXISTS "Se""lect".pgretain_order_by___function______tag____12dc2ead_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_order_by___function______tag____12dc2ead ON "Se""lect"."order by. $function$ {{ .Tag }}" ("a ""quoted"" column", "user", "a.b")
    WHERE ("größe'; DROP TABLE x; --" IS NOT NULL AND "{{ . }}" AND "a.b" > '');
-- next
COMMENT ON INDEX "Se""lect".pgretain_order_by___function______tag____12dc2ead IS 'pgretain: index of policy names';
-- next
SELECT retention._record_index('Se"lect', 'pgretain_order_by___function______tag____12dc2ead');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS "Se""lect".pgretain_order_by___function______tag____12dc2ead;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS "Se""lect".pgretain_order_by___function______tag____12dc2ead_invalid;
-- next
DELETE FROM retention.index_definition
WHERE schema_name = 'Se"lect' AND index_name = 'pgretain_order_by___function______tag____12dc2ead';
