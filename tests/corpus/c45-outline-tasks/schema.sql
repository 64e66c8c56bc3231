-- A wiki, with a table for everything that goes stale.
CREATE TABLE teams (id uuid PRIMARY KEY, deleted_at timestamptz);
CREATE TABLE documents (
    id uuid PRIMARY KEY,
    team_id uuid NOT NULL REFERENCES teams,
    deleted_at timestamptz
);
CREATE INDEX ON documents (team_id);
CREATE TABLE revisions (
    id uuid PRIMARY KEY,
    document_id uuid NOT NULL
);
CREATE INDEX ON revisions (document_id);
CREATE TABLE attachments (
    id uuid PRIMARY KEY,
    document_id uuid,
    key text NOT NULL
);
CREATE INDEX ON attachments (document_id);
CREATE TABLE events (id uuid PRIMARY KEY, created_at timestamptz NOT NULL);
CREATE TABLE search_queries (id uuid PRIMARY KEY, created_at timestamptz NOT NULL);
CREATE TABLE notifications (
    id uuid PRIMARY KEY,
    created_at timestamptz NOT NULL,
    viewed_at timestamptz
);
CREATE TABLE oauth_clients (
    id uuid PRIMARY KEY,
    created_by_id uuid,               -- NULL: registered by a program
    last_active_at timestamptz,
    created_at timestamptz NOT NULL
);
CREATE TABLE imports (
    id uuid PRIMARY KEY,
    state text NOT NULL,
    updated_at timestamptz NOT NULL
);
CREATE TABLE import_tasks (
    id uuid PRIMARY KEY,
    import_id uuid NOT NULL REFERENCES imports ON DELETE CASCADE
);
CREATE INDEX ON import_tasks (import_id);
CREATE TABLE file_operations (
    id uuid PRIMARY KEY,
    type text NOT NULL,
    state text NOT NULL,
    key text,
    created_at timestamptz NOT NULL
);
CREATE TABLE document_insights (
    document_id uuid NOT NULL,
    date date NOT NULL,
    views integer NOT NULL DEFAULT 0,
    PRIMARY KEY (document_id, date)
);
CREATE TABLE webhook_deliveries (id uuid PRIMARY KEY, created_at timestamptz NOT NULL);
