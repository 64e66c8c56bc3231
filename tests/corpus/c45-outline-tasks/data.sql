CREATE FUNCTION id(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE RETURN lpad(to_hex(n), 32, '0')::uuid;

-- Rows on a bound, a microsecond before and after it, and far from it.
CREATE TEMP TABLE near AS SELECT row_number() OVER () AS k, off FROM (VALUES (interval '0'), ('-0.000001 s'), ('0.000001 s'), ('-1000 days'), ('1 minute')) v(off);

INSERT INTO teams SELECT id(k), :as_of - interval '30 days' + off FROM near;
INSERT INTO teams VALUES (id(10), NULL), (id(11), :as_of - interval '90 days'), (id(12), :as_of - interval '90 days');
INSERT INTO documents SELECT id(100 + k), id(10), :as_of - interval '30 days' + off FROM near;
-- Team 11 still has a document; the last one of team 12 goes just before the team is looked at.
INSERT INTO documents VALUES (id(110), id(10), NULL), (id(111), id(11), NULL), (id(112), id(12), :as_of - interval '91 days');
INSERT INTO revisions SELECT id(200 + row_number() OVER (ORDER BY d.id, n)), d.id FROM documents d, generate_series(1, 2) n;
INSERT INTO revisions VALUES (id(299), id(199));
INSERT INTO attachments SELECT id(300 + row_number() OVER (ORDER BY id)), id, 'uploads/' || id FROM documents;
INSERT INTO attachments VALUES (id(399), NULL, 'uploads/avatar');

INSERT INTO events SELECT id(k), :as_of - interval '365 days' + off FROM near;
INSERT INTO search_queries SELECT id(k), :as_of - interval '365 days' + off FROM near;

-- Six months before August 31st is the last of February.
INSERT INTO notifications SELECT id(k), timestamptz '2026-02-28 12:00+00' + off, :as_of - interval '1 day' FROM near;
INSERT INTO notifications SELECT id(10 + k), timestamptz '2026-02-28 12:00+00' + off, NULL FROM near WHERE k <> 4;
INSERT INTO notifications SELECT id(20 + k), timestamptz '2025-08-31 12:00+00' + off, NULL FROM near;

INSERT INTO oauth_clients SELECT id(k), NULL, NULL, :as_of - interval '48 hours' + off FROM near;
INSERT INTO oauth_clients SELECT id(10 + k), NULL, :as_of - interval '30 days' + off, :as_of - interval '1 year' FROM near;
INSERT INTO oauth_clients VALUES (id(20), id(1), NULL, :as_of - interval '1 year'), (id(21), NULL, :as_of - interval '3 days', :as_of - interval '1 year');

INSERT INTO imports SELECT id(k), 'completed', :as_of - interval '1 day' + off FROM near;
INSERT INTO imports VALUES (id(10), 'processing', :as_of - interval '9 days'), (id(11), 'errored', :as_of - interval '9 days'), (id(12), 'canceled', :as_of - interval '9 days');
INSERT INTO import_tasks SELECT id(100 + row_number() OVER (ORDER BY i.id, n)), i.id FROM imports i, generate_series(1, 2) n;

INSERT INTO file_operations SELECT id(k), 'export', 'complete', CASE WHEN k <> 4 THEN 'exports/' || k END, :as_of - interval '15 days' + off FROM near;
INSERT INTO file_operations SELECT id(10 + row_number() OVER ()), type, state, 'exports/old', :as_of - interval '90 days'
FROM (VALUES ('import', 'complete'), ('export', 'error'), ('export', 'expired'), ('export', 'creating')) v(type, state);

INSERT INTO document_insights SELECT id(1), d::date, 1 FROM (VALUES ('2025-08-30'), ('2025-08-31'), ('2025-09-01'), ('2026-08-31'), ('2020-01-01')) v(d);
INSERT INTO webhook_deliveries SELECT id(k), :as_of - interval '7 days' + off FROM near;
DROP TABLE near;
