-- Photographs: assets may be stacked under a primary one, and a still may have a motion video.
CREATE TABLE users (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    "quotaUsageInBytes" bigint NOT NULL DEFAULT 0
);
CREATE TABLE asset (
    id uuid PRIMARY KEY,
    "ownerId" uuid NOT NULL REFERENCES users ON DELETE CASCADE,
    "deletedAt" timestamptz,
    "stackId" uuid,
    "livePhotoVideoId" uuid REFERENCES asset ON DELETE SET NULL,
    "libraryId" uuid,                   -- not NULL: an external library, outside of the quota
    "isOffline" boolean NOT NULL DEFAULT false,
    "originalPath" text NOT NULL,
    "fileSizeInByte" bigint NOT NULL DEFAULT 0
);
CREATE INDEX ON asset ("ownerId");
CREATE INDEX ON asset ("livePhotoVideoId");
CREATE TABLE stack (
    id uuid PRIMARY KEY,
    "primaryAssetId" uuid NOT NULL UNIQUE REFERENCES asset
);
ALTER TABLE asset ADD FOREIGN KEY ("stackId") REFERENCES stack ON DELETE SET NULL;
CREATE INDEX ON asset ("stackId");
CREATE TABLE asset_file (
    id uuid PRIMARY KEY,
    "assetId" uuid NOT NULL REFERENCES asset ON DELETE CASCADE,
    path text NOT NULL
);
CREATE INDEX ON asset_file ("assetId");
CREATE TABLE system_metadata (
    key text PRIMARY KEY,
    value jsonb NOT NULL
);
