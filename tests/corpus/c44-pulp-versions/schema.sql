-- Repositories of packages: versions hold content, publications publish a version, distributions
-- serve a version, a publication, or whatever is the newest of a repository.
CREATE TABLE repository (
    id uuid PRIMARY KEY,
    retain_repo_versions integer,     -- NULL: all
    retain_checkpoints integer        -- NULL: all
);
CREATE TABLE repository_version (
    id uuid PRIMARY KEY,
    repository_id uuid NOT NULL REFERENCES repository ON DELETE CASCADE,
    number integer NOT NULL,
    complete boolean NOT NULL DEFAULT false,
    UNIQUE (repository_id, number)
);
CREATE TABLE publication (
    id uuid PRIMARY KEY,
    repository_version_id uuid NOT NULL REFERENCES repository_version ON DELETE CASCADE,
    checkpoint boolean NOT NULL DEFAULT false
);
CREATE INDEX ON publication (repository_version_id);
CREATE TABLE distribution (
    id uuid PRIMARY KEY,
    repository_id uuid REFERENCES repository ON DELETE SET NULL,
    repository_version_id uuid REFERENCES repository_version ON DELETE SET NULL,
    publication_id uuid REFERENCES publication ON DELETE SET NULL
);
CREATE INDEX ON distribution (repository_version_id);
CREATE INDEX ON distribution (publication_id);
CREATE TABLE content (
    id uuid PRIMARY KEY,
    timestamp_of_interest timestamptz NOT NULL
);
CREATE TABLE version_content (
    repository_version_id uuid NOT NULL REFERENCES repository_version ON DELETE CASCADE,
    content_id uuid NOT NULL REFERENCES content ON DELETE RESTRICT,
    PRIMARY KEY (repository_version_id, content_id)
);
CREATE INDEX ON version_content (content_id);
-- Content inside of content: a list of packages, say.
CREATE TABLE nested_content (
    outer_id uuid NOT NULL REFERENCES content ON DELETE CASCADE,
    inner_id uuid NOT NULL REFERENCES content ON DELETE RESTRICT,
    PRIMARY KEY (outer_id, inner_id)
);
CREATE INDEX ON nested_content (inner_id);
