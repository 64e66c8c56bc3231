-- A design tool. Whatever the user deletes gets a future deleted_at; rows point at objects of the
-- storage by plain uuid. A trigger guards against deletion by accident.
CREATE FUNCTION guard_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF coalesce(current_setting('rules.deletion_protection', true), 'on') <> 'off' THEN
        RAISE EXCEPTION 'row of % is protected against deletion', TG_TABLE_NAME;
    END IF;
    RETURN OLD;
END $$;

CREATE TABLE profile (id uuid PRIMARY KEY, deleted_at timestamptz, photo_id uuid);
CREATE TABLE team (id uuid PRIMARY KEY, deleted_at timestamptz, photo_id uuid);
CREATE TABLE team_font_variant (
    id uuid PRIMARY KEY,
    team_id uuid NOT NULL,
    deleted_at timestamptz,
    woff1_file_id uuid,
    woff2_file_id uuid,
    ttf_file_id uuid,
    otf_file_id uuid
);
CREATE TABLE project (id uuid PRIMARY KEY, team_id uuid NOT NULL, deleted_at timestamptz);
CREATE TABLE file (
    id uuid PRIMARY KEY,
    project_id uuid NOT NULL,
    modified_at timestamptz NOT NULL,
    deleted_at timestamptz,
    data jsonb
);
CREATE TABLE file_change (
    id uuid PRIMARY KEY,
    file_id uuid NOT NULL,
    deleted_at timestamptz,
    data jsonb
);
CREATE INDEX ON file_change (file_id);
CREATE TABLE file_data (
    id uuid PRIMARY KEY,
    file_id uuid NOT NULL,
    deleted_at timestamptz,
    metadata jsonb
);
CREATE TABLE file_media_object (
    id uuid PRIMARY KEY,
    file_id uuid NOT NULL,
    deleted_at timestamptz,
    media_id uuid NOT NULL,
    thumbnail_id uuid
);
CREATE TABLE file_thumbnail (id uuid PRIMARY KEY, file_id uuid NOT NULL, deleted_at timestamptz, media_id uuid);
CREATE TABLE file_tagged_object_thumbnail (id uuid PRIMARY KEY, file_id uuid NOT NULL, deleted_at timestamptz, media_id uuid);

CREATE TABLE storage_object (
    id uuid PRIMARY KEY,
    backend text NOT NULL,
    touched_at timestamptz,
    deleted_at timestamptz,
    metadata jsonb NOT NULL DEFAULT '{}'
);
CREATE TABLE storage_data (id uuid PRIMARY KEY, data bytea NOT NULL);

CREATE TRIGGER guard_deletion BEFORE DELETE ON team FOR EACH ROW EXECUTE FUNCTION guard_deletion();
CREATE TRIGGER guard_deletion BEFORE DELETE ON project FOR EACH ROW EXECUTE FUNCTION guard_deletion();
CREATE TRIGGER guard_deletion BEFORE DELETE ON file FOR EACH ROW EXECUTE FUNCTION guard_deletion();
