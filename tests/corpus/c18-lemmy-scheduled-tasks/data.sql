INSERT INTO public.post (id, name, body, deleted, updated_at)
SELECT row_number() OVER (), 'title', body, deleted, :as_of - ago
FROM (VALUES ('text'), (''), (NULL), ('*Permanently Deleted*')) b(body), (VALUES (true), (false)) d(deleted),
     (VALUES (interval '1 month'), ('1 month 0.000001 s'), ('1 month -0.000001 s'), ('30 days'), ('1 year'), (NULL)) a(ago);
INSERT INTO public.comment (id, content, deleted, updated_at)
SELECT id, coalesce(body, 'null'), deleted, updated_at FROM public.post;

INSERT INTO public.sent_activity (id, published_at)
SELECT row_number() OVER (), :as_of - ago
FROM (VALUES (interval '168 hours'), ('168:00:00.000001'), ('167:59:59.999999'), ('1 year'), ('0')) a(ago);
INSERT INTO public.received_activity (ap_id, published_at) SELECT 'https://' || id, published_at FROM public.sent_activity;

-- Persons by application: accepted or not, handled or not, on the bound and beside it; some without user or application.
INSERT INTO public.person (id, name) SELECT n, 'person ' || n FROM generate_series(1, 20) n;
INSERT INTO public.local_user (id, person_id, accepted_application) SELECT 100 + n, n, n % 2 = 0 FROM generate_series(1, 18) n;
INSERT INTO public.registration_application (id, local_user_id, answer, admin_id, published_at)
SELECT 200 + n, 100 + n, 'please', CASE WHEN n % 3 <> 0 THEN 20 END,
       :as_of - CASE WHEN n < 5 THEN interval '168:00:00.000001' WHEN n < 9 THEN '168 hours' WHEN n < 13 THEN '1 year' ELSE '1 day' END
FROM generate_series(1, 16) n;

INSERT INTO public.community_actions (person_id, community_id, followed_at, blocked_at, became_moderator_at, received_ban_at, ban_expires_at)
SELECT n, c, CASE WHEN c % 2 = 1 THEN :as_of END, CASE WHEN c = 2 THEN :as_of END, NULL, :as_of - interval '1 month',
       :as_of - CASE n % 5 WHEN 0 THEN interval '0' WHEN 1 THEN '0.000001 s' WHEN 2 THEN '-0.000001 s' WHEN 3 THEN '1 day' END
FROM generate_series(1, 20) n, generate_series(1, 6) c;

INSERT INTO public.federation_blocklist (instance_id, expires_at)
SELECT row_number() OVER (), :as_of - ago
FROM (VALUES (interval '0'), ('0.000001 s'), ('-0.000001 s'), ('1 year'), (NULL)) a(ago);
INSERT INTO public.local_user_invite (token, expires_at) SELECT 'token ' || instance_id, expires_at FROM public.federation_blocklist;
