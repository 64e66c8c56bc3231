-- as migrator
-- For policy a_policy_name_of_forty_bytes_0123456789a. Building it CONCURRENTLY lets everybody go on writing; each statement may be
-- repeated, also after a build that was interrupted.
SELECT retention._set_aside_invalid_index('Se"lect', 'pgretain_01234567890123456789012345678901_43f63268');
-- next
DROP INDEX CONCURRENTLY IF EXISTS "Se""lect".pgretain_01234567890123456789012345678901_43f63268_invalid;
-- next
CREATE INDEX CONCURRENTLY IF NOT EXISTS pgretain_01234567890123456789012345678901_43f63268 ON "Se""lect"."012345678901234567890123456789012345678901234567890123456789éa" (t, "end");
-- next
COMMENT ON INDEX "Se""lect".pgretain_01234567890123456789012345678901_43f63268 IS 'pgretain: index of policy a_policy_name_of_forty_bytes_0123456789a';
-- next
SELECT retention._record_index('Se"lect', 'pgretain_01234567890123456789012345678901_43f63268');

-- to drop it
DROP INDEX CONCURRENTLY IF EXISTS "Se""lect".pgretain_01234567890123456789012345678901_43f63268;
-- next
-- There only after a build that was interrupted.
DROP INDEX CONCURRENTLY IF EXISTS "Se""lect".pgretain_01234567890123456789012345678901_43f63268_invalid;
-- next
DELETE FROM retention.index_definition
WHERE schema_name = 'Se"lect' AND index_name = 'pgretain_01234567890123456789012345678901_43f63268';
