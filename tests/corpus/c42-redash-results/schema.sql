-- Answers of queries; a query points at its latest one.
CREATE TABLE query_results (
    id bigint PRIMARY KEY,
    data text,
    retrieved_at timestamptz NOT NULL
);
CREATE TABLE queries (
    id bigint PRIMARY KEY,
    latest_query_data_id bigint REFERENCES query_results
);
CREATE INDEX ON queries (latest_query_data_id);
