-- Secrets live in folders of environments of projects; each change leaves a version. A project says
-- how many versions it wants.
CREATE TABLE project (
    id text PRIMARY KEY,
    "pitVersionLimit" integer NOT NULL DEFAULT 10,
    version integer NOT NULL DEFAULT 1
);
CREATE TABLE environment (
    id uuid PRIMARY KEY,
    "projectId" text NOT NULL REFERENCES project ON DELETE CASCADE
);
CREATE TABLE secret_folder (
    id uuid PRIMARY KEY,
    "envId" uuid NOT NULL REFERENCES environment ON DELETE CASCADE
);
CREATE TABLE secret_version (
    id uuid PRIMARY KEY,
    "secretId" uuid NOT NULL,
    "folderId" uuid NOT NULL,
    "createdAt" timestamptz NOT NULL
);
CREATE INDEX ON secret_version ("secretId", "createdAt");
CREATE TABLE audit_log (
    id uuid NOT NULL,
    "createdAt" timestamptz NOT NULL,
    "expiresAt" timestamptz,
    "eventType" text NOT NULL,
    PRIMARY KEY (id, "createdAt")
) PARTITION BY RANGE ("createdAt");
CREATE TABLE audit_log_2025 PARTITION OF audit_log FOR VALUES FROM ('2025-01-01 00:00+00') TO ('2026-01-01 00:00+00');
CREATE TABLE audit_log_2026 PARTITION OF audit_log FOR VALUES FROM ('2026-01-01 00:00+00') TO ('2027-01-01 00:00+00');
CREATE TABLE audit_log_default PARTITION OF audit_log DEFAULT;
