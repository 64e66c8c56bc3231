up() { tern migrate --migrations retention; }
down() { tern migrate --migrations retention --destination "-$1"; }
