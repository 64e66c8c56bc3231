package quote

import "strings"

// Keywords are those of PostgreSQL 15 to 18 that are not unreserved, and those that PL/pgSQL reserves.
// https://www.postgresql.org/docs/current/sql-keywords-appendix.html
var Keywords = strings.Fields(`
	all analyse analyze and any array as asc asymmetric authorization begin between bigint binary bit boolean both by case
	cast char character check coalesce collate collation column concurrently constraint create cross current_catalog
	current_date current_role current_schema current_time current_timestamp current_user dec decimal declare default
	deferrable desc distinct do else end except execute exists extract false fetch float for foreach foreign freeze from
	full grant greatest group grouping having if ilike in initially inner inout int integer intersect interval into is
	isnull join json json_array json_arrayagg json_exists json_object json_objectagg json_query json_scalar json_serialize
	json_table json_value lateral leading least left like limit localtime localtimestamp loop merge_action national
	natural nchar none normalize not notnull null nullif numeric offset on only or order out outer overlaps overlay
	placing position precision primary real references returning right row select session_user setof similar smallint some
	strict substring symmetric system_user table tablesample then time timestamp to trailing treat trim true union unique
	user using values varchar variadic verbose when where while window with xmlattributes xmlconcat xmlelement xmlexists
	xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable
`)
