-- The tables of the examples in docs/policy.md.
CREATE SCHEMA app;
CREATE TABLE app.message (
    id bigint PRIMARY KEY, device_key text NOT NULL DEFAULT 'd', kind text NOT NULL, created_at timestamptz NOT NULL);
CREATE TABLE app.open_case (id bigint PRIMARY KEY, message_id bigint NOT NULL);
CREATE INDEX ON app.open_case (message_id);
CREATE TABLE app.task (id bigint PRIMARY KEY, state text);
CREATE TABLE app.note (id bigint PRIMARY KEY, created_at timestamptz);
CREATE TABLE app.seat (id bigint NOT NULL, room text NOT NULL, left_at timestamptz, UNIQUE (room, id));
CREATE TABLE app.session (id bigint PRIMARY KEY, expires_at timestamptz);
CREATE TABLE app.signal (
    id bigint PRIMARY KEY, score double precision NOT NULL, pinned boolean NOT NULL, seen_at timestamptz NOT NULL);
CREATE TABLE app.owner (id bigint PRIMARY KEY, keep_days integer, closed boolean NOT NULL DEFAULT false);
CREATE TABLE app.upload (id bigint PRIMARY KEY, owner_id bigint NOT NULL, made_at timestamptz NOT NULL);
CREATE TABLE app.request (id bigint PRIMARY KEY, created_ms bigint NOT NULL);
CREATE TABLE app.shipper (id bigint PRIMARY KEY, shipped_ms bigint NOT NULL);
CREATE TABLE app.page_view (id bigint PRIMARY KEY, seq bigint NOT NULL UNIQUE, at timestamptz NOT NULL);
CREATE TABLE app.reader (id bigint PRIMARY KEY, done bigint NOT NULL);
CREATE TABLE app.progress (id bigint PRIMARY KEY, kind text NOT NULL UNIQUE, seq bigint NOT NULL);
CREATE TABLE app.daily (day date PRIMARY KEY, n bigint NOT NULL DEFAULT 0);
CREATE TABLE app.reading (id bigint PRIMARY KEY, device text NOT NULL, taken_at timestamptz NOT NULL);
CREATE TABLE app.draft (id bigint PRIMARY KEY, owner_id bigint NOT NULL, edited_at timestamptz NOT NULL);
CREATE TABLE app.issue (id bigint PRIMARY KEY, starred boolean NOT NULL, closed_at timestamptz);
CREATE TABLE app.issue_task (id bigint PRIMARY KEY, issue_id bigint NOT NULL, open boolean NOT NULL);
CREATE INDEX ON app.issue_task (issue_id);
CREATE TABLE app.build (id bigint PRIMARY KEY, repo_id bigint NOT NULL DEFAULT 1, tag text, state text NOT NULL);
CREATE TABLE app.item (id bigint PRIMARY KEY, owner_id bigint NOT NULL, kind text NOT NULL, made_at timestamptz NOT NULL);
CREATE TABLE app.config (id bigint PRIMARY KEY, kind text NOT NULL UNIQUE, days integer NOT NULL);
CREATE TABLE app.loan (id bigint PRIMARY KEY, item_id bigint NOT NULL, used_at timestamptz NOT NULL);
CREATE INDEX ON app.loan (item_id);
CREATE TABLE app.blob (id bigint PRIMARY KEY, size integer NOT NULL);
CREATE TABLE app.thread (
    id bigint PRIMARY KEY, closed_at timestamptz, blob_id bigint REFERENCES app.blob);
CREATE INDEX ON app.thread (blob_id);
CREATE TABLE app.reply (id bigint PRIMARY KEY, thread_id bigint NOT NULL REFERENCES app.thread ON DELETE CASCADE);
CREATE INDEX ON app.reply (thread_id);
CREATE TABLE app.node (id bigint PRIMARY KEY, thread_id bigint REFERENCES app.thread);
CREATE INDEX ON app.node (thread_id);
CREATE TABLE app.offer (id bigint PRIMARY KEY, expires_at timestamptz NOT NULL, expired boolean NOT NULL);
CREATE TABLE app.visit (id bigint PRIMARY KEY, at timestamptz NOT NULL, seconds integer NOT NULL);
CREATE TABLE app.visit_day (day date PRIMARY KEY, n bigint NOT NULL, longest integer NOT NULL);
CREATE TABLE app.parcel (id bigint PRIMARY KEY, owner_id bigint NOT NULL, sent_at timestamptz NOT NULL);
CREATE TABLE app.transfer (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, owner_id bigint NOT NULL, at timestamptz NOT NULL, run_id bigint NOT NULL);
CREATE TABLE app.old_parcel (
    id bigint PRIMARY KEY, owner_id bigint NOT NULL, sent_at timestamptz NOT NULL, transfer_id bigint NOT NULL REFERENCES app.transfer);
CREATE TABLE app.invoice (id bigint PRIMARY KEY, paid_at timestamptz, total numeric NOT NULL);
CREATE TABLE app.invoice_line (id bigint PRIMARY KEY, invoice_id bigint NOT NULL REFERENCES app.invoice ON DELETE CASCADE);
CREATE INDEX ON app.invoice_line (invoice_id);
CREATE TABLE app.old_invoice (
    invoice_id bigint PRIMARY KEY, paid_at timestamptz, total numeric NOT NULL, archived_at timestamptz NOT NULL, run_id bigint NOT NULL);
CREATE TABLE app.attic (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, kind text NOT NULL, at timestamptz NOT NULL, body jsonb NOT NULL);
CREATE TABLE app.account (id bigint PRIMARY KEY, closed_at timestamptz, private boolean NOT NULL);
CREATE TABLE app.stock (id bigint PRIMARY KEY, reserved integer NOT NULL);
CREATE TABLE app.reservation (
    id bigint PRIMARY KEY, stock_id bigint NOT NULL, quantity integer NOT NULL, expires_at timestamptz NOT NULL);
CREATE TABLE app.event (id bigint NOT NULL, at timestamptz NOT NULL, state text NOT NULL) PARTITION BY RANGE (at);
CREATE TABLE app.event_2026_02 PARTITION OF app.event FOR VALUES FROM ('2026-02-01 00:00+00') TO ('2026-03-01 00:00+00');
CREATE TABLE app.event_2026_03 PARTITION OF app.event FOR VALUES FROM ('2026-03-01 00:00+00') TO ('2026-04-01 00:00+00');
CREATE TABLE app.event_2026_04 PARTITION OF app.event FOR VALUES FROM ('2026-04-01 00:00+00') TO ('2026-05-01 00:00+00');
CREATE TABLE app.event_2026_05 PARTITION OF app.event FOR VALUES FROM ('2026-05-01 00:00+00') TO ('2026-06-01 00:00+00');
CREATE TABLE app.removed (generation bigint NOT NULL, id bigint NOT NULL, state text NOT NULL) PARTITION BY LIST (generation);
CREATE TABLE app.removed_1 PARTITION OF app.removed FOR VALUES IN (1);
CREATE TABLE app.removed_2 PARTITION OF app.removed FOR VALUES IN (2);
CREATE TABLE app.removed_3 PARTITION OF app.removed FOR VALUES IN (3);
CREATE TABLE app.removed_4 PARTITION OF app.removed FOR VALUES IN (4);
CREATE TABLE app.removed_5 PARTITION OF app.removed FOR VALUES IN (5);
CREATE TABLE app.detached (name text PRIMARY KEY, drop_after timestamptz NOT NULL);
CREATE TABLE app.queue (id bigint PRIMARY KEY, chain_id integer NOT NULL);
CREATE FUNCTION app.queue_audit() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE TRIGGER queue_audit AFTER DELETE ON app.queue FOR EACH ROW EXECUTE FUNCTION app.queue_audit();
CREATE TABLE app.trade (
    hash text PRIMARY KEY, kind text NOT NULL DEFAULT 'swap', seen_at timestamptz, expires_at timestamptz NOT NULL);
CREATE TABLE app.marker (feed text PRIMARY KEY, at bigint NOT NULL, hash text NOT NULL);
CREATE TABLE app.tracked (slug text PRIMARY KEY, name text NOT NULL, last_read_at timestamptz);
CREATE TABLE app.catalog (slug text PRIMARY KEY, name text NOT NULL);
CREATE TABLE app.job_log (id bigint PRIMARY KEY, at timestamptz NOT NULL);
CREATE TABLE app.audit (id bigint PRIMARY KEY, at timestamptz NOT NULL);
CREATE TABLE app.payment (id bigint PRIMARY KEY, paid_at timestamptz NOT NULL);
CREATE TABLE app.ledger (id bigint PRIMARY KEY, paid_at timestamptz NOT NULL);
CREATE TABLE app.letter (id bigint PRIMARY KEY, created_at timestamptz NOT NULL);
CREATE TABLE app.answer (id bigint PRIMARY KEY, letter_id bigint NOT NULL REFERENCES app.letter ON DELETE CASCADE);
CREATE INDEX ON app.answer (letter_id);
CREATE TABLE app.old_letter (id bigint PRIMARY KEY, created_at timestamptz NOT NULL);
CREATE SCHEMA tenant_anna;
CREATE TABLE tenant_anna.message (id bigint PRIMARY KEY, created_at timestamptz NOT NULL);
CREATE INDEX ON tenant_anna.message (created_at, id);
CREATE TABLE tenant_anna.pin (message_id bigint PRIMARY KEY);
CREATE SCHEMA tenant_bela;
CREATE TABLE tenant_bela.message (id bigint PRIMARY KEY, created_at timestamptz NOT NULL);
CREATE INDEX ON tenant_bela.message (created_at, id);
CREATE TABLE tenant_bela.pin (message_id bigint PRIMARY KEY);
CREATE TABLE app.access_log (line text, status integer NOT NULL, at timestamptz NOT NULL);
