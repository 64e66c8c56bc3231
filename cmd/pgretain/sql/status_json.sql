-- json, unlike jsonb, keeps the order of the columns.
SELECT coalesce(json_agg(row_to_json(s)), '[]')::text FROM retention.status s;
