-- Unlike jsonb, json keeps the order of the columns.
SELECT json_build_object('version', 1,
    'policies', (SELECT coalesce(json_agg(row_to_json(s)), '[]') FROM retention.status s),
    'health', (SELECT coalesce(json_agg(row_to_json(h)), '[]') FROM retention.health() h))::text;
