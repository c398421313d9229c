#!/bin/sh
# Creates the missing secrets of docker-compose.yml in ./secrets, or in the given folder. Only you can enter the folder;
# the files are readable because the containers' users have other numbers. Back up `secret_key` together with the data
# in Postgres, which is useless without it.
set -eu
folder="${1:-secrets}"
umask 077
mkdir -p "$folder"
chmod 700 "$folder"

# Hexadecimal, so that it needs no escaping in a URL.
password() {
  [ -s "$folder/$1" ] || openssl rand -hex 24 > "$folder/$1"
}

password postgres_password
password clickhouse_password
[ -s "$folder/secret_key" ] || openssl rand -base64 32 > "$folder/secret_key"
[ -s "$folder/postgres_url" ] ||
  printf 'postgres://svc:%s@postgres:5432/svc\n' "$(cat "$folder/postgres_password")" > "$folder/postgres_url"
[ -s "$folder/clickhouse_url" ] ||
  printf 'http://svc:%s@clickhouse:8123/svc\n' "$(cat "$folder/clickhouse_password")" > "$folder/clickhouse_url"
chmod 444 "$folder"/*
