-- as_of: 2025-06-01 12:00:00+00

-- The first policy first: what runs for more than a day and has only final tasks is over.
-- table: public.execution
WITH stuck AS (
    SELECT e.id, min(CASE k.status WHEN 'Error' THEN 1 WHEN 'Stopped' THEN 2 ELSE 3 END) AS worst
    FROM public.execution e JOIN public.task k ON k.execution_id = e.id
    WHERE e.status = 'Running' AND e.start_time < timestamp '2025-05-31 12:00'
    GROUP BY e.id HAVING every(k.status IN ('Error', 'Stopped', 'Success'))
), now AS (
    SELECT e.id, e.vendor_type, e.vendor_id, e.start_time,
           coalesce(('{Error,Stopped,Success}'::text[])[s.worst], e.status) AS status,
           CASE WHEN s.id IS NULL THEN e.end_time ELSE timestamp '2025-06-01 12:00' END AS end_time
    FROM public.execution e LEFT JOIN stuck s USING (id)
)
SELECT * FROM now e
WHERE e.status = 'Running'
   OR (SELECT count(*) FROM public.execution n
       WHERE n.vendor_type = e.vendor_type AND n.vendor_id IS NOT DISTINCT FROM e.vendor_id AND n.start_time > e.start_time)
      < CASE e.vendor_type WHEN 'GARBAGE_COLLECTION' THEN 5 WHEN 'SCHEDULER' THEN 1 ELSE 3 END
   OR EXISTS (SELECT FROM public.task k WHERE k.execution_id = e.id AND k.status IN ('Pending', 'Running'));

-- Tasks go with executions that were candidates, unless they are not final.
-- table: public.task
WITH stuck AS (
    SELECT e.id FROM public.execution e JOIN public.task k ON k.execution_id = e.id
    WHERE e.status = 'Running' AND e.start_time < timestamp '2025-05-31 12:00'
    GROUP BY e.id HAVING every(k.status IN ('Error', 'Stopped', 'Success'))
)
SELECT k.* FROM public.task k JOIN public.execution e ON e.id = k.execution_id
WHERE k.status IN ('Pending', 'Running')
   OR e.status = 'Running' AND e.id NOT IN (SELECT id FROM stuck)
   OR (SELECT count(*) FROM public.execution n
       WHERE n.vendor_type = e.vendor_type AND n.vendor_id IS NOT DISTINCT FROM e.vendor_id AND n.start_time > e.start_time)
      < CASE e.vendor_type WHEN 'GARBAGE_COLLECTION' THEN 5 WHEN 'SCHEDULER' THEN 1 ELSE 3 END;

-- table: public.audit_log_ext
SELECT * FROM public.audit_log_ext
EXCEPT ALL
SELECT * FROM public.audit_log_ext
WHERE (operation, resource_type) IN (('create', 'artifact'), ('pull', 'artifact')) AND op_time < '2025-05-30 12:00';
