-- as_of: 2026-03-01 12:00:00+00
-- idle: jobs_log

-- table: public.core_objectchange
WITH present AS (
    SELECT changed_object_type_id AS type_id, changed_object_id AS object_id FROM core_objectchange
    GROUP BY 1, 2 HAVING bool_and(action <> 'delete'))
SELECT c.* FROM core_objectchange c WHERE "time" >= :as_of - interval '90 days'
UNION
SELECT c.* FROM core_objectchange c JOIN present p ON (p.type_id, p.object_id) = (c.changed_object_type_id, c.changed_object_id)
WHERE action = 'create'
UNION
(SELECT DISTINCT ON (c.changed_object_type_id, c.changed_object_id) c.*
 FROM core_objectchange c JOIN present p ON (p.type_id, p.object_id) = (c.changed_object_type_id, c.changed_object_id)
 WHERE action = 'update' ORDER BY c.changed_object_type_id, c.changed_object_id, "time" DESC, id DESC);

-- table: public.django_session
SELECT * FROM django_session WHERE expire_date >= :as_of;
