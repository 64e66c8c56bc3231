-- Envelopes of a message network: two tables that are partitioned alike, first by the node that an
-- envelope comes from, then by its place in that node's sequence.
CREATE TABLE gateway_envelopes_meta (
    originator_node_id integer NOT NULL,
    originator_sequence_id bigint NOT NULL,
    gateway_time timestamp NOT NULL DEFAULT now(),
    topic bytea NOT NULL,
    expiry bigint,                       -- epoch seconds; NULL: never
    PRIMARY KEY (originator_node_id, originator_sequence_id)
) PARTITION BY LIST (originator_node_id);

CREATE TABLE gateway_envelope_blobs (
    originator_node_id integer NOT NULL,
    originator_sequence_id bigint NOT NULL,
    originator_envelope bytea NOT NULL,
    PRIMARY KEY (originator_node_id, originator_sequence_id)
) PARTITION BY LIST (originator_node_id);

CREATE TABLE payer_reports (
    id bigint PRIMARY KEY,
    originator_node_id integer NOT NULL,
    start_sequence_id bigint NOT NULL,
    end_sequence_id bigint NOT NULL,
    submission_status smallint NOT NULL  -- 0 pending, 1 submitted, 2 settled, 3 rejected
);

-- Node 0 commits, node 1 registers identities; 100 and 200 carry messages.
CREATE TABLE gateway_envelopes_meta_o0 PARTITION OF gateway_envelopes_meta FOR VALUES IN (0)
    PARTITION BY RANGE (originator_sequence_id);
CREATE TABLE gateway_envelopes_meta_o0_s0 PARTITION OF gateway_envelopes_meta_o0 FOR VALUES FROM (0) TO (10);
CREATE TABLE gateway_envelopes_meta_o1 PARTITION OF gateway_envelopes_meta FOR VALUES IN (1)
    PARTITION BY RANGE (originator_sequence_id);
CREATE TABLE gateway_envelopes_meta_o1_s0 PARTITION OF gateway_envelopes_meta_o1 FOR VALUES FROM (0) TO (10);
CREATE TABLE gateway_envelopes_meta_o100 PARTITION OF gateway_envelopes_meta FOR VALUES IN (100)
    PARTITION BY RANGE (originator_sequence_id);
CREATE TABLE gateway_envelopes_meta_o100_s0 PARTITION OF gateway_envelopes_meta_o100 FOR VALUES FROM (0) TO (10);
CREATE TABLE gateway_envelopes_meta_o100_s10 PARTITION OF gateway_envelopes_meta_o100 FOR VALUES FROM (10) TO (20);
CREATE TABLE gateway_envelopes_meta_o100_s20 PARTITION OF gateway_envelopes_meta_o100 FOR VALUES FROM (20) TO (30);
CREATE TABLE gateway_envelopes_meta_o200 PARTITION OF gateway_envelopes_meta FOR VALUES IN (200)
    PARTITION BY RANGE (originator_sequence_id);
CREATE TABLE gateway_envelopes_meta_o200_s0 PARTITION OF gateway_envelopes_meta_o200 FOR VALUES FROM (0) TO (10);

CREATE TABLE gateway_envelope_blobs_o0 PARTITION OF gateway_envelope_blobs FOR VALUES IN (0)
    PARTITION BY RANGE (originator_sequence_id);
CREATE TABLE gateway_envelope_blobs_o0_s0 PARTITION OF gateway_envelope_blobs_o0 FOR VALUES FROM (0) TO (10);
CREATE TABLE gateway_envelope_blobs_o1 PARTITION OF gateway_envelope_blobs FOR VALUES IN (1)
    PARTITION BY RANGE (originator_sequence_id);
CREATE TABLE gateway_envelope_blobs_o1_s0 PARTITION OF gateway_envelope_blobs_o1 FOR VALUES FROM (0) TO (10);
CREATE TABLE gateway_envelope_blobs_o100 PARTITION OF gateway_envelope_blobs FOR VALUES IN (100)
    PARTITION BY RANGE (originator_sequence_id);
CREATE TABLE gateway_envelope_blobs_o100_s0 PARTITION OF gateway_envelope_blobs_o100 FOR VALUES FROM (0) TO (10);
CREATE TABLE gateway_envelope_blobs_o100_s10 PARTITION OF gateway_envelope_blobs_o100 FOR VALUES FROM (10) TO (20);
CREATE TABLE gateway_envelope_blobs_o100_s20 PARTITION OF gateway_envelope_blobs_o100 FOR VALUES FROM (20) TO (30);
CREATE TABLE gateway_envelope_blobs_o200 PARTITION OF gateway_envelope_blobs FOR VALUES IN (200)
    PARTITION BY RANGE (originator_sequence_id);
CREATE TABLE gateway_envelope_blobs_o200_s0 PARTITION OF gateway_envelope_blobs_o200 FOR VALUES FROM (0) TO (10);
