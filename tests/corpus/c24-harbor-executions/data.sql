-- Ten executions of each kind; some still run, the last that counts ties with the next: 1, 3 and 5. Kind NULL is a kind.
INSERT INTO public.execution (id, vendor_type, vendor_id, status, start_time)
SELECT v * 100 + k * 20 + n, type, nullif(k, 3),
       CASE n % 4 WHEN 0 THEN 'Error' WHEN 1 THEN 'Success' WHEN 2 THEN 'Running' ELSE 'Stopped' END,
       :as_of AT TIME ZONE 'UTC' - interval '7 hours' * CASE n WHEN 2 THEN 1 WHEN 4 THEN 3 WHEN 6 THEN 5 ELSE n END
FROM (VALUES (1, 'GARBAGE_COLLECTION'), (2, 'SCHEDULER'), (3, 'REPLICATION')) t(v, type), generate_series(1, 3) k, generate_series(1, 10) n;

-- Running executions of 42 hours: one whose tasks are over, one whose are not, one without tasks. The others have two
-- tasks; of some over executions one task is not final, which keeps the execution.
INSERT INTO public.task (id, execution_id, status)
SELECT id * 10 + n, id, CASE
    WHEN status = 'Running' THEN CASE WHEN id / 20 % 2 = 0 THEN CASE n WHEN 1 THEN 'Success' ELSE 'Stopped' END WHEN n = 1 THEN 'Success' ELSE 'Running' END
    WHEN id % 5 = 0 AND n = 2 THEN 'Pending' ELSE 'Success' END
FROM public.execution, generate_series(1, 2) n WHERE id % 20 <> 6 OR id < 200;

-- Running ones on the bound of a day and beside it, their tasks over.
INSERT INTO public.execution (id, vendor_type, vendor_id, status, start_time)
SELECT 900 + n, 'STUCK', 1, 'Running', :as_of AT TIME ZONE 'UTC' - interval '24 hours' + (n - 2) * interval '1 us' FROM generate_series(1, 3) n;
INSERT INTO public.task (id, execution_id, status) SELECT 9000 + n, 900 + n, 'Error' FROM generate_series(1, 3) n;

INSERT INTO public.schedule (vendor_type, param) VALUES
    ('PURGE_AUDIT_LOG', '{"audit_retention_hour": 48, "include_event_types": "create_artifact,pull_artifact"}'), ('OTHER', '{}');
INSERT INTO public.audit_log_ext (id, operation, resource_type, op_time)
SELECT row_number() OVER (), operation, resource_type, (:as_of - ago) AT TIME ZONE 'UTC'
FROM (VALUES ('create', 'artifact'), ('pull', 'artifact'), ('delete', 'artifact'), ('create', 'user'), (NULL, 'artifact'), ('pull', NULL)) e(operation, resource_type),
     (VALUES (interval '48 hours'), ('48:00:00.000001'), ('47:59:59.999999'), ('1 year'), (NULL)) a(ago);
