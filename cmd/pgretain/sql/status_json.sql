-- Parameter: $1 policies and reports in the order of the policy file. Unlike jsonb, json keeps the
-- order of the columns.
SELECT json_build_object('version', 1,
    'policies', (SELECT coalesce(json_agg(row_to_json(s)
        ORDER BY array_position($1::text[], split_part(s.policy, '@', 1)), s.policy), '[]') FROM retention.status s),
    'health', (SELECT coalesce(json_agg(row_to_json(h)), '[]') FROM retention.health() h))::text;
