CREATE FUNCTION id(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE RETURN lpad(to_hex(n), 32, '0')::uuid;
CREATE TEMP TABLE near AS SELECT row_number() OVER () AS k, expiring, :as_of + off AS at
FROM (VALUES (interval '0'), ('-0.000001 s'), ('0.000001 s'), ('-100 days'), (NULL)) v(off), (VALUES (true), (false)) e(expiring);

INSERT INTO core_user SELECT n, 'user' || n, attributes::jsonb
FROM (VALUES (1, '{}'), (2, '{"goauthentik.io/user/expires": null}'),
             (3, format('{"goauthentik.io/user/expires": %s}', extract(epoch FROM :as_of))),
             (4, format('{"goauthentik.io/user/expires": %s}', extract(epoch FROM :as_of) + 0.001)),
             (5, format('{"goauthentik.io/user/expires": %s}', extract(epoch FROM :as_of) - 0.001)),
             (6, '{"goauthentik.io/user/expires": 1.5e9, "x": 1}')) v(n, attributes);
INSERT INTO core_session SELECT 's' || k, at, expiring FROM near;
INSERT INTO core_session VALUES ('s100', :as_of + interval '1 day', true), ('s101', :as_of + interval '1 day', true);
INSERT INTO core_authenticatedsession SELECT 's' || k, 1 FROM near;
INSERT INTO core_authenticatedsession VALUES ('s100', 6), ('s101', 4);
INSERT INTO core_token SELECT id(100 * i.n + k), 1, intent, 'old', at, expiring
FROM near, (VALUES (1, 'verification'), (2, 'recovery'), (3, 'api'), (4, 'app_password')) i(n, intent);
INSERT INTO core_token VALUES (id(900), 5, 'api', 'old', NULL, false), (id(901), 4, 'api', 'old', NULL, false);
INSERT INTO policies_reputation SELECT k, 1, at, expiring FROM near;
DROP TABLE near;
