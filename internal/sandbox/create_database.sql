-- template0 has no objects of the user.
CREATE DATABASE sandbox_database TEMPLATE template0
