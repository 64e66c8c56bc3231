-- as owner
SELECT retention._register($row$ {"name": "items", "table_name": "app.item", "hash": "6378a7bd87b7",
    "passes": [{"cursor": [["t.at", "timestamptz"], ["t.id", "bigint"]],
        "bound": "t.at < retention._cutoff(($1).as_of, 0, 90, '00:00:00', 'UTC')"}],
    "facts": {"clock": "t.at", "ahead": "(($1).as_of + interval '1 years')"},
    "steps": [{"step": 0, "verb": "note", "table": "app.item",
        "notes": ["step 2 writes other rows of the policy's own table: later batches may judge otherwise"]},
        {"step": 1, "verb": "delete", "table": "app.loan", "related": "app.loan", "as": "l",
        "on": "l.note_id = t.id AND l.used_at < t.at"},
        {"step": 2, "verb": "delete", "table": "app.item",
        "where": "NOT EXISTS (SELECT FROM \"rest of app.loan\" l WHERE l.note_id = t.id)"},
        {"step": 3, "verb": "delete", "table": "app.blob", "related": "app.blob", "as": "b",
        "on": "b.id = t.blob_id AND NOT EXISTS (SELECT FROM \"rest of app.item\" x WHERE x.blob_id = b.id) AND NOT 'kept' = ANY (t.labels)",
        "notes": ["it reads table \"app.item\", which step 2 writes",
        "it reads table \"app.item\", which step 2 writes"]}],
    "changes": ["app.item", "app.loan", "app.blob"],
    "reach": ["app.item", "app.tag_link", "app.tag_vote", "app.mention", "app.copy"],
    "expects": {"app.blob": {"columns": {"at": "timestamp with time zone", "id": "bigint"},
        "cascades": ["app.copy (blob_id) cascade"]}, "app.copy": {"columns": {"blob_id": "bigint", "id": "bigint"},
        "cascades": []}, "app.item": {"columns": {"at": "timestamp with time zone", "blob_id": "bigint", "id": "bigint",
        "labels": "text[]"}, "cascades": ["app.item (parent_id) cascade", "app.mention (item_id) set null",
        "app.tag_link (item_id) cascade"]}, "app.loan": {"columns": {"id": "bigint", "note_id": "bigint",
        "used_at": "timestamp with time zone"}}, "app.mention": {"columns": {"id": "bigint"}},
        "app.tag_link": {"cascades": ["app.tag_vote (item_id, tag) cascade"]},
        "app.tag_vote": {"columns": {"id": "bigint"}, "cascades": []}}}$row$);

-- to drop it
SELECT retention._drop_policy('items');
