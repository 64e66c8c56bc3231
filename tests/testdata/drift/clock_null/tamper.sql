-- The clock that the policy made sure of has a default, which an application passes by. Sessions without an
-- end are nobody's mistake, and pinned ones are not the policy's at all.
INSERT INTO app.message (body, created_at) VALUES ('a', NULL), ('b', NULL), ('c', now());
INSERT INTO app.session (state, expires_at) VALUES ('open', NULL), ('pinned', NULL), ('open', now() + interval '1 day');
