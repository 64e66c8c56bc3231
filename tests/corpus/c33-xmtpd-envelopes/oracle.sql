-- as_of: 2026-03-01 12:00:00.25+00

-- table: public.gateway_envelopes_meta
SELECT * FROM gateway_envelopes_meta m
WHERE originator_node_id IN (0, 1)
   OR expiry IS NULL OR expiry >= floor(extract(epoch FROM :as_of))
   OR NOT EXISTS (SELECT FROM payer_reports p WHERE p.originator_node_id = m.originator_node_id
                  AND p.submission_status IN (1, 2) AND p.end_sequence_id > m.originator_sequence_id);

-- table: public.gateway_envelope_blobs
SELECT b.* FROM gateway_envelope_blobs b JOIN gateway_envelopes_meta m USING (originator_node_id, originator_sequence_id)
WHERE originator_node_id IN (0, 1)
   OR expiry IS NULL OR expiry >= floor(extract(epoch FROM :as_of))
   OR NOT EXISTS (SELECT FROM payer_reports p WHERE p.originator_node_id = m.originator_node_id
                  AND p.submission_status IN (1, 2) AND p.end_sequence_id > m.originator_sequence_id);

-- table: (SELECT relname::text AS name FROM pg_class WHERE relname LIKE 'gateway\_%' AND relkind IN ('r', 'p')) c
-- The first partition is empty by then; the last one is as well, and the newest.
SELECT relname::text AS name FROM pg_class WHERE relname LIKE 'gateway\_%' AND relkind IN ('r', 'p')
AND relname NOT IN ('gateway_envelopes_meta_o100_s0', 'gateway_envelope_blobs_o100_s0');
