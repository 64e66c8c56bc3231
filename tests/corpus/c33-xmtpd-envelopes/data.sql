INSERT INTO payer_reports VALUES
    (1, 100, 0, 12, 2), (2, 100, 12, 15, 1), (3, 100, 15, 29, 0), (4, 100, 15, 28, 3),   -- 15 is the highest that counts
    (5, 200, 0, 9, 0), (6, 200, 0, 9, 3), (7, 1, 0, 9, 2), (8, 0, 0, 9, 2);              -- none for 200; 0 and 1 never go

-- Node 100: all of the first partition has expired; the second has rows on every bound.
INSERT INTO gateway_envelopes_meta (originator_node_id, originator_sequence_id, topic, expiry)
SELECT 100, n, '\x01'::bytea, extract(epoch FROM :as_of)::bigint - n FROM generate_series(1, 9) n
UNION ALL
SELECT 100, n, '\x02'::bytea, extract(epoch FROM :as_of)::bigint + past
FROM (VALUES (10, -1), (11, 0), (12, NULL), (13, 1), (14, -1000000), (15, -5), (16, -5)) v(n, past)
UNION ALL
SELECT node, n, '\x03'::bytea, extract(epoch FROM :as_of)::bigint - 100
FROM (VALUES (0), (1), (200)) v(node), generate_series(1, 4) n;

INSERT INTO gateway_envelope_blobs SELECT originator_node_id, originator_sequence_id, '\xff'::bytea FROM gateway_envelopes_meta
WHERE (originator_node_id, originator_sequence_id) <> (100, 14);                         -- one has lost its blob
