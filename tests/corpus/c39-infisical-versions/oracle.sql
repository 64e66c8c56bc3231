-- as_of: 2026-03-01 12:00:00+00

-- table: public.secret_version
WITH ranked AS (
    SELECT v.id, p."pitVersionLimit" AS most, row_number() OVER (PARTITION BY v."secretId" ORDER BY v."createdAt" DESC, v.id DESC) AS place
    FROM secret_version v JOIN secret_folder f ON f.id = v."folderId" JOIN environment e ON e.id = f."envId" JOIN project p ON p.id = e."projectId"
    WHERE p.version < 3 AND p."pitVersionLimit" >= 0)
SELECT * FROM secret_version WHERE id NOT IN (SELECT id FROM ranked WHERE place > most);

-- table: public.audit_log
SELECT * FROM audit_log WHERE ("expiresAt" < timestamptz '2026-03-01 00:00+00') IS NOT TRUE;
