package behaviour

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pgretain/tests/kit"
	"pgretain/tests/pgtest"
)

// A stranger who had REFERENCES refers to the table, with a type whose casts are his. Nobody runs them as the owner, not
// for the blast radius either. The same table in the hands of whoever owns the policy's table is counted.
func TestBlastRadiusRunsNobodysCode(t *testing.T) {
	t.Parallel()
	in := kit.Install(t, `
		CREATE TABLE m (id bigint PRIMARY KEY, at timestamptz NOT NULL DEFAULT '2024-01-01');
		INSERT INTO m SELECT generate_series(1, 5)`, `
policies:
  p: {table: m, due: {age: {column: at, older_than: 7 days}}, then: [delete]}
`)
	in.Exec(t, pgtest.MakeRole("radius_stranger")+`
		CREATE SCHEMA own AUTHORIZATION radius_stranger;
		GRANT USAGE ON SCHEMA public TO radius_stranger;
		GRANT REFERENCES ON m TO radius_stranger;
		SET ROLE radius_stranger;
		CREATE TYPE own.number AS ENUM ('1', '2');
		CREATE FUNCTION own.value(own.number) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN
			RAISE EXCEPTION 'run as %', current_user;
		END $$;
		CREATE CAST (own.number AS bigint) WITH FUNCTION own.value(own.number) AS IMPLICIT;
		CREATE TABLE own.child (m_id own.number);
		ALTER TABLE own.child ADD FOREIGN KEY (m_id) REFERENCES public.m;
		GRANT USAGE ON SCHEMA own TO PUBLIC;
		GRANT SELECT ON own.child TO PUBLIC;
		RESET ROLE;
		REVOKE REFERENCES ON m FROM radius_stranger`)
	_, err := in.Viewer().Exec(t.Context(), "SELECT * FROM retention.blast_radius('p')")
	if sqlState(err) != "PR004" || !strings.Contains(err.Error(), `belongs to role "radius_stranger", which is not trusted`) {
		t.Errorf("blast_radius answers %v", err)
	}

	in.Exec(t, `DROP TABLE own.child; CREATE TABLE own.child (m_id bigint REFERENCES m); INSERT INTO own.child VALUES (2);
		GRANT SELECT ON own.child TO PUBLIC; ALTER TABLE own.child OWNER TO `+kit.Migrator+`; ALTER SCHEMA own OWNER TO `+kit.Migrator)
	if diff := cmp.Diff("1 delete public.m ?; 1 blocked own.child 1", strings.Join(lines(t, in, "'p'"), "; ")); diff != "" {
		t.Error(diff)
	}
}
