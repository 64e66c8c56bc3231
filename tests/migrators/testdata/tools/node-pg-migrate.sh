prepare() { mkdir migrations; }
wrap() { cp wrapper "migrations/$1.js"; }
up() { node-pg-migrate up; }
down() { node-pg-migrate down "$1"; }
unwrap() { rm "migrations/$1.js"; }
