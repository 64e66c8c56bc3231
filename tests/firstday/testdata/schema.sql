-- Field service: customers, visits of technicians, and the jobs behind them. 27 tables of all kinds in two schemas.
CREATE SCHEMA crm;
CREATE SCHEMA "Ops";
CREATE TYPE crm.stage AS ENUM ('new', 'talking', 'won', 'lost');
CREATE TYPE "Ops"."Job State" AS ENUM ('queued', 'running', 'done', 'failed');
CREATE DOMAIN crm.ts AS timestamptz;

-- Small tables, and what people want kept.
CREATE TABLE crm.region (code text PRIMARY KEY, name text NOT NULL);
CREATE TABLE "Ops"."Job Kind" ("Name" text PRIMARY KEY, retries integer NOT NULL);
CREATE TABLE crm.setting (key text PRIMARY KEY, value text, updated_at crm.ts NOT NULL);
CREATE TABLE "Ops".alembic_version (version_num varchar(32) PRIMARY KEY);
CREATE TABLE crm.technician (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL, hired_on date);
CREATE TABLE crm.customer (id uuid PRIMARY KEY, name text NOT NULL, region text NOT NULL REFERENCES crm.region, created_at crm.ts NOT NULL);
CREATE TABLE crm.asset (id uuid PRIMARY KEY, customer_id uuid NOT NULL REFERENCES crm.customer, serial text NOT NULL UNIQUE);
CREATE TABLE crm.technician_load (technician_id bigint PRIMARY KEY REFERENCES crm.technician, visits integer NOT NULL);

-- Selling.
CREATE TABLE crm.lead (
    id bigint PRIMARY KEY,
    customer_id uuid REFERENCES crm.customer ON DELETE SET NULL,
    stage crm.stage NOT NULL,
    created_at crm.ts NOT NULL,
    closed_at crm.ts
);
CREATE INDEX ON crm.lead ((id % 10)); -- an expression without a collation
CREATE TABLE crm.activity (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer_id uuid NOT NULL REFERENCES crm.customer ON DELETE CASCADE,
    what text NOT NULL,
    occurred_at crm.ts NOT NULL
);
CREATE TABLE crm.quote (id bigint PRIMARY KEY, customer_id uuid NOT NULL REFERENCES crm.customer, valid_until date NOT NULL, total numeric(12, 2));
CREATE TABLE crm.contract (id bigint PRIMARY KEY, quote_id bigint REFERENCES crm.quote, signed_on date NOT NULL);
CREATE INDEX ON crm.contract (quote_id);
CREATE TABLE crm.email_message (
    id uuid PRIMARY KEY,
    answers uuid REFERENCES crm.email_message ON DELETE SET NULL,
    sent_at timestamp(3)
);
CREATE INDEX ON crm.email_message (answers);
CREATE TABLE crm.attachment (
    email_id uuid REFERENCES crm.email_message ON DELETE CASCADE,
    name text,
    body bytea NOT NULL,
    PRIMARY KEY (email_id, name)
);

-- Visits, their parts, and what refers to them.
CREATE TABLE crm.visit (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    asset_id uuid NOT NULL REFERENCES crm.asset,
    technician_id bigint NOT NULL REFERENCES crm.technician,
    planned_at crm.ts NOT NULL,
    finished_at crm.ts
);
CREATE INDEX ON crm.visit (finished_at);
CREATE TABLE crm.visit_note (visit_id uuid REFERENCES crm.visit ON DELETE CASCADE, no integer, author text NOT NULL, PRIMARY KEY (visit_id, no));
CREATE TABLE crm.visit_part (visit_id uuid NOT NULL REFERENCES crm.visit, part text, pieces integer NOT NULL, PRIMARY KEY (visit_id, part));
CREATE TABLE crm.complaint (id bigint PRIMARY KEY, visit_id uuid REFERENCES crm.visit, text text NOT NULL);
CREATE INDEX ON crm.complaint (visit_id);
CREATE VIEW crm.open_visit AS SELECT v.*, a.serial FROM crm.visit v JOIN crm.asset a ON a.id = v.asset_id WHERE v.finished_at IS NULL;

-- How many visits each technician has, kept by a trigger.
CREATE FUNCTION crm.count_visit() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        UPDATE crm.technician_load SET visits = visits + 1 WHERE technician_id = new.technician_id;
    ELSE
        UPDATE crm.technician_load SET visits = visits - 1 WHERE technician_id = old.technician_id;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER count_visit AFTER INSERT OR DELETE ON crm.visit FOR EACH ROW EXECUTE FUNCTION crm.count_visit();

-- What machines write.
CREATE TABLE crm.web_session (token text PRIMARY KEY, customer_id uuid REFERENCES crm.customer ON DELETE CASCADE, "expiresAt" timestamptz NOT NULL);
CREATE INDEX ON crm.web_session (lower(token));
CREATE TABLE crm.gps_fix (technician_id bigint REFERENCES crm.technician, ctime bigint, lat real, lon real, PRIMARY KEY (technician_id, ctime));
CREATE UNLOGGED TABLE crm.search_cache (query text PRIMARY KEY, hits jsonb NOT NULL, last_used_at crm.ts NOT NULL);
CREATE TABLE crm.click (visitor text, page text, at timestamptz NOT NULL);
CREATE TABLE "Ops"."Job Queue" (
    "Id" bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    "Kind" text NOT NULL REFERENCES "Ops"."Job Kind",
    "State" "Ops"."Job State" NOT NULL DEFAULT 'queued',
    "finishedAt" timestamptz
);
CREATE TABLE "Ops".import_row (file text, line integer, processed_on date, body text, PRIMARY KEY (file, line));
CREATE TABLE "Ops".webhook_delivery (id uuid PRIMARY KEY, url text NOT NULL, created_at timestamptz NOT NULL, "deliveredAt" timestamptz);
CREATE TABLE "Ops"."Audit Log" (id bigint PRIMARY KEY, actor text NOT NULL, at crm.ts NOT NULL);
CREATE TABLE "Ops".telemetry (
    asset_id uuid,
    at timestamptz,
    celsius real,
    PRIMARY KEY (asset_id, at)
) PARTITION BY RANGE (at);
