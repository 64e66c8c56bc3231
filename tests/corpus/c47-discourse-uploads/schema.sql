-- A forum: uploads are referred to from many places, by key, by key as text, and by name in texts.
CREATE FUNCTION upload_short_name(sha1 text) RETURNS text LANGUAGE sql IMMUTABLE
    RETURN encode(decode(sha1, 'hex'), 'base64');     -- stands for the forum's own second spelling

CREATE TABLE uploads (
    id bigint PRIMARY KEY,
    sha1 text NOT NULL,
    url text NOT NULL,
    created_at timestamp NOT NULL,
    retain_hours integer,
    access_control_post_id bigint
);
CREATE TABLE optimized_images (id bigint PRIMARY KEY, upload_id bigint NOT NULL, url text NOT NULL);
CREATE INDEX ON optimized_images (upload_id);
CREATE TABLE users (
    id bigint PRIMARY KEY,
    admin boolean NOT NULL DEFAULT false,
    trust_level integer NOT NULL,
    last_seen_at timestamp,
    uploaded_avatar_id bigint
);
CREATE TABLE user_options (user_id bigint PRIMARY KEY, email_digests boolean NOT NULL DEFAULT true);
CREATE TABLE posts (id bigint PRIMARY KEY, user_id bigint, raw text NOT NULL);
CREATE INDEX ON posts (user_id);
CREATE TABLE post_uploads (
    post_id bigint NOT NULL,
    upload_id bigint NOT NULL,
    PRIMARY KEY (post_id, upload_id)
);
CREATE INDEX ON post_uploads (upload_id);
CREATE TABLE user_avatars (id bigint PRIMARY KEY, gravatar_upload_id bigint, custom_upload_id bigint);
CREATE TABLE user_profiles (user_id bigint PRIMARY KEY, profile_background_upload_id bigint, card_background_upload_id bigint);
CREATE TABLE categories (id bigint PRIMARY KEY, uploaded_logo_id bigint, uploaded_background_id bigint);
CREATE TABLE custom_emojis (id bigint PRIMARY KEY, upload_id bigint NOT NULL);
CREATE TABLE theme_fields (id bigint PRIMARY KEY, upload_id bigint);
CREATE TABLE user_exports (id bigint PRIMARY KEY, upload_id bigint);
CREATE TABLE site_settings (
    name text PRIMARY KEY,
    value text,
    data_type integer NOT NULL         -- 3 number, 17 list of uploads, 18 upload
);
CREATE TABLE reviewables (id bigint PRIMARY KEY, status integer NOT NULL, payload jsonb);
CREATE TABLE drafts (id bigint PRIMARY KEY, data text NOT NULL);
