-- Each job by how long ago it finished: on the bound, a microsecond to either side, and never.
INSERT INTO public.solid_queue_jobs (id, queue_name, class_name, created_at, finished_at)
SELECT row_number() OVER (), 'default', class_name, (:as_of - interval '30 days') AT TIME ZONE 'UTC',
       (:as_of - ago) AT TIME ZONE 'UTC'
FROM (VALUES ('MailJob'), ('HeartbeatJob')) c(class_name),
     (VALUES (interval '1 day'), ('1 day 0.000001 s'), ('23:59:59.999999'), ('10 days'), ('0'), (NULL),
             ('1 hour'), ('01:00:00.000001'), ('00:59:59.999999'), ('-1 hour')) a(ago);

INSERT INTO public.solid_queue_ready_executions SELECT 100 + id, id FROM public.solid_queue_jobs WHERE finished_at IS NULL;
INSERT INTO public.solid_queue_failed_executions SELECT 200 + id, id, 'boom' FROM public.solid_queue_jobs WHERE id % 2 = 0;
