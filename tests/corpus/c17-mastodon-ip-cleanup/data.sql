INSERT INTO public.accounts (id, domain) VALUES (1, NULL), (2, 'remote.example'), (3, ''), (4, NULL);
INSERT INTO public.users (id, account_id, sign_up_ip, current_sign_in_at)
SELECT row_number() OVER (), 1, ip::inet, (:as_of - ago) AT TIME ZONE 'UTC'
FROM (VALUES ('192.0.2.1'), (NULL)) i(ip),
     (VALUES (interval '8760 hours'), ('8760:00:00.000001'), ('8759:59:59.999999'), ('3 years'), (NULL)) a(ago);
INSERT INTO public.session_activations (id, user_id, ip, updated_at)
SELECT row_number() OVER (), 1, ip::inet, (:as_of - ago) AT TIME ZONE 'UTC'
FROM (VALUES ('192.0.2.1'), (NULL)) i(ip),
     (VALUES (interval '8760 hours'), ('8760:00:00.000001'), ('8759:59:59.999999'), ('3 years'), ('2 years'), ('2 years 0.000001 s')) a(ago);
INSERT INTO public.login_activities (id, user_id, ip, created_at) SELECT id, 1, sign_up_ip, current_sign_in_at FROM public.users;
INSERT INTO public.oauth_access_tokens (id, token, last_used_ip, last_used_at) SELECT id, 'token', sign_up_ip, current_sign_in_at FROM public.users;
INSERT INTO public.ip_blocks (id, ip, expires_at)
SELECT row_number() OVER (), '198.51.100.0/24', (:as_of - ago) AT TIME ZONE 'UTC'
FROM (VALUES (interval '0'), ('0.000001 s'), ('-0.000001 s'), ('1 year'), (NULL)) a(ago);

-- Statuses around the millisecond of the cutoff, whose low 16 bits do not count as time; of here and of elsewhere.
INSERT INTO public.statuses (id, account_id)
SELECT ((1748779200000 - 30 * 86400000::bigint + ms) << 16) + low * 4 + account, account
FROM generate_series(-3, 3) ms, (VALUES (0), (16000)) l(low), (VALUES (1), (2), (3)) a(account);
INSERT INTO public.mentions (id, status_id, account_id) SELECT row_number() OVER (ORDER BY id, n), id, 4 FROM public.statuses, generate_series(1, 2) n;
INSERT INTO public.media_attachments (id, status_id, file_name, created_at)
SELECT row_number() OVER (ORDER BY id), id, 'file ' || id, (:as_of - CASE WHEN id % 65536 < 100 THEN interval '30 days' ELSE '1 hour' END) AT TIME ZONE 'UTC'
FROM public.statuses;
INSERT INTO public.media_attachments (id, status_id, file_name, created_at) VALUES
    (1001, NULL, 'never used', :as_of AT TIME ZONE 'UTC' - interval '24:00:00.000001'), (1002, NULL, 'just now', :as_of AT TIME ZONE 'UTC' - interval '24 hours');

-- Conversations of all statuses in order, of one each, of none, and of one that is unknown.
INSERT INTO public.account_conversations (id, account_id, status_ids) SELECT 1, 1, array_agg(id ORDER BY id DESC) FROM public.statuses;
INSERT INTO public.account_conversations (id, account_id, status_ids) SELECT 100 + row_number() OVER (ORDER BY id), 1, ARRAY[id, id] FROM public.statuses;
INSERT INTO public.account_conversations (id, account_id, status_ids) VALUES (2, 1, '{}'), (3, 1, '{5}');
