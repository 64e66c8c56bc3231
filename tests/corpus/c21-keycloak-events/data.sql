INSERT INTO public.realm (id, name, events_expiration) VALUES
    ('hour', 'hour', 3600), ('day', 'day', 86400), ('zero', 'zero', 0), ('less', 'less', -1), ('null', 'null', NULL),
    ('long', 'long', 9999999999), ('also-hour', 'also-hour', 3600), ('silent', 'silent', 60);
INSERT INTO public.realm_attribute (realm_id, name, value) VALUES
    ('hour', 'adminEventsExpiration', '3600'), ('hour', 'other', '1'), ('day', 'adminEventsExpiration', '86400'),
    ('zero', 'adminEventsExpiration', '0'), ('less', 'adminEventsExpiration', '-1'), ('null', 'adminEventsExpiration', NULL),
    ('long', 'adminEventsExpiration', '99999999999999999999'), ('also-hour', 'adminEventsExpiration', '1 hour'),
    ('gone', 'adminEventsExpiration', '60'), ('silent', 'adminEventsExpiratio', '60');

-- Each realm, one that has no row and none, by age in milliseconds; NULL as well.
INSERT INTO public.event_entity (id, realm_id, event_time)
SELECT 'e' || row_number() OVER (), realm, extract(epoch FROM :as_of)::bigint * 1000 - age
FROM (VALUES ('hour'), ('day'), ('zero'), ('less'), ('null'), ('long'), ('also-hour'), ('silent'), ('gone'), (NULL)) r(realm),
     (VALUES (3600000), (3600001), (3599999), (86400000), (86400001), (86399999), (0), (-1), (31536000000), (NULL)) a(age);
INSERT INTO public.admin_event_entity (id, realm_id, admin_event_time) SELECT 'a' || id, realm_id, event_time FROM public.event_entity;
