-- as_of: 2025-03-31 12:00:00+00

-- A month before the last of March is the last of February.
-- table: public.post
SELECT id, CASE WHEN gone THEN '*Permanently Deleted*' ELSE name END AS name, CASE WHEN gone THEN '*Permanently Deleted*' ELSE body END AS body,
       deleted, updated_at
FROM (SELECT *, coalesce(deleted AND body <> '*Permanently Deleted*' AND updated_at < '2025-02-28 12:00+00', false) AS gone FROM public.post) p;

-- table: public.comment
SELECT id, CASE WHEN deleted AND updated_at < '2025-02-28 12:00+00' THEN '*Permanently Deleted*' ELSE content END AS content, deleted, updated_at
FROM public.comment;

-- table: public.sent_activity
SELECT * FROM public.sent_activity WHERE published_at >= '2025-03-24 12:00+00';

-- table: public.received_activity
SELECT * FROM public.received_activity WHERE published_at >= '2025-03-24 12:00+00';

-- Denied are the odd ones that an administrator handled, thirds not; of those with an age, 1 to 4 and 9 to 12.
-- table: public.person
SELECT * FROM public.person WHERE id NOT IN (1, 11);

-- table: public.local_user
SELECT * FROM public.local_user WHERE person_id NOT IN (1, 11);

-- table: public.registration_application
SELECT * FROM public.registration_application WHERE id NOT IN (201, 211);

-- table: public.community_actions
SELECT person_id, community_id, followed_at, blocked_at, became_moderator_at,
       CASE WHEN ban_expires_at < :as_of THEN NULL ELSE received_ban_at END AS received_ban_at,
       CASE WHEN ban_expires_at < :as_of THEN NULL ELSE ban_expires_at END AS ban_expires_at
FROM public.community_actions
WHERE person_id NOT IN (1, 11)
  AND NOT (coalesce(ban_expires_at < :as_of, false) AND followed_at IS NULL AND blocked_at IS NULL AND became_moderator_at IS NULL);

-- table: public.federation_blocklist
SELECT * FROM public.federation_blocklist WHERE expires_at IS NULL OR expires_at >= :as_of;

-- table: public.local_user_invite
SELECT * FROM public.local_user_invite WHERE expires_at IS NULL OR expires_at >= :as_of;
