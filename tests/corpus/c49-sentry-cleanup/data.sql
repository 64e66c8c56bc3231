CREATE TEMP TABLE near AS SELECT row_number() OVER () AS k, off FROM (VALUES (interval '0'), ('-0.000001 s'), ('0.000001 s'), ('-100 days'), ('1 day')) v(off);

INSERT INTO lostpasswordhash SELECT k, 'h', :as_of - interval '48 hours' + off FROM near;
INSERT INTO eventmapping SELECT k, 1, 'e' || k, :as_of - interval '7 days' + off FROM near;
INSERT INTO groupedmessage SELECT k, k % 2, :as_of - interval '30 days' + off FROM near;
INSERT INTO grouphash SELECT 10 * k + n, k, 'x' FROM near, generate_series(1, 2) n;
INSERT INTO grouphash VALUES (100, NULL, 'of no group');
-- Young rows of groups that go, and old rows of groups that stay.
INSERT INTO event SELECT 10 * g.k + n.k, 1, g.k, :as_of - interval '30 days' + n.off FROM near g, near n;
INSERT INTO event VALUES (1000, 1, NULL, :as_of - interval '1 day');
INSERT INTO grouptagvalue SELECT 10 * g.k + n.k, 1, g.k, :as_of - interval '30 days' + n.off FROM near g, near n;
INSERT INTO grouptagvalue VALUES (1001, 1, 3, NULL), (1002, 1, 2, NULL);
INSERT INTO fileblob SELECT k, '/blobs/' || k, :as_of - interval '1 day' + off FROM near;
INSERT INTO fileblob SELECT 10 + n, '/blobs/' || 10 + n, :as_of - interval '9 days' FROM generate_series(1, 4) n;
INSERT INTO file VALUES (1, 11), (2, NULL), (3, NULL);
INSERT INTO fileblobindex VALUES (2, 12, 0), (2, 13, 1), (3, 13, 0);
DROP TABLE near;
