-- Whether the runtime can say what a run would do, besides what is due. $1: the schema as to_regprocedure reads it.
SELECT to_regprocedure($1 || '.blast_radius(text, timestamptz, interval, jsonb, bigint)') IS NOT NULL;
