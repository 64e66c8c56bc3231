-- Reads the row triggers on delete that people made and that fire in ordinary sessions.
-- $1 oid[]: of which tables.
-- Returns the table's oid, name, definition. In tgtype bit 1 is FOR EACH ROW, bit 8 DELETE; in
-- tgenabled D is disabled and R fires in replication only.
SELECT t.tgrelid,
       t.tgname::text,
       pg_get_triggerdef(t.oid)
  FROM pg_trigger AS t
 WHERE t.tgrelid = ANY ($1::oid[])
   AND NOT t.tgisinternal
   AND (t.tgtype & 1) <> 0
   AND (t.tgtype & 8) <> 0
   AND t.tgenabled IN ('O', 'A')
 ORDER BY t.tgrelid, t.tgname COLLATE "C";
