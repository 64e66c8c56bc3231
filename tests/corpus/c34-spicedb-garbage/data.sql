-- The newest transaction before the window is 120, written at one instant with 119; transaction 115
-- was still open then, and committed after it.
INSERT INTO relation_tuple_transaction (xid, snapshot, "timestamp")
SELECT x::text::xid8, s::pg_snapshot, (:as_of AT TIME ZONE 'UTC') - ago
FROM (VALUES (100, '100:100:', interval '72 hours'), (110, '110:110:', '48 hours'), (114, '114:114:', '25 hours'),
             (119, '115:119:115', '24 hours 0.000001 s'), (120, '115:120:115,119', '24 hours 0.000001 s'),
             (115, '115:121:', '23:59:59.999999'), (125, '125:125:', '24 hours'), (130, '130:130:', '1 hour')) v(x, s, ago);

INSERT INTO relation_tuple (namespace, object_id, relation, userset_namespace, userset_object_id, userset_relation, created_xid, deleted_xid, expiration)
SELECT 'document', object, 'viewer', 'user', 'u' || object, '...', '90', deleted::text::xid8, :as_of - expired
FROM (VALUES ('a', 99, NULL::interval), ('b', 114, NULL), ('c', 115, NULL), ('d', 116, NULL), ('e', 120, NULL), ('f', 9223372036854775807, NULL),
             ('g', 9223372036854775807, '24 hours'), ('h', 9223372036854775807, '24 hours 0.000001 s'), ('i', 9223372036854775807, '23:59:59.999999'),
             ('j', 9223372036854775807, '-1 hour'), ('k', 114, '30 hours'), ('l', 100, '1 hour')) v(object, deleted, expired);

INSERT INTO namespace_config SELECT 'document', '\x00', v::text::xid8, d::text::xid8
FROM (VALUES (50, 60), (60, 114), (114, 115), (115, 120), (120, 9223372036854775807)) x(v, d);
