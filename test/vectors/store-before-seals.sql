-- A credential store as the service made it before its rows were sealed: one account, two wallets.
-- Master secret: 0x and 32 times 5e.
CREATE TABLE "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null);
CREATE TABLE "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null);
CREATE TABLE "credentials" ("wallet" text not null, "provider" text not null, "pseudonym" text not null, "traits" text not null, "authenticated_at" bigint not null, constraint "credentials_pk" primary key ("wallet", "provider"));
CREATE TABLE "settings" ("name" text primary key, "value" text not null);
CREATE TABLE "spent_nonces" ("nonce" text primary key, "expires_at" bigint not null);
insert into kysely_migration values ('001-credentials', '2026-11-21T15:39:03.474Z');
insert into kysely_migration values ('002-spent-nonces', '2026-11-21T15:39:03.475Z');
insert into kysely_migration_lock values ('migration_lock', 0);
insert into credentials values ('0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266', 'microblog', '0xbca764eb98fc32e548539d02adccf86c8686dc859e2385b8af21c5cf631d7195', 'v1.2RmL0FPVfkIa_C2J.tasKEOlRicIjlIdohBjdQSckNHkeFPI0WwcXWQh7Kv8mg3-NvVhAFfmbZg.pl-MbD911QUVFR3HNxONgQ', 1760000000);
insert into credentials values ('0x70997970C51812dc3A010C7d01b50e0d17dc79C8', 'microblog', '0xbca764eb98fc32e548539d02adccf86c8686dc859e2385b8af21c5cf631d7195', 'v1.qZODGC_aIxxDjv-j.w2boTyI4-HUYtEbqisiouvFgfTu2yDfWbEffI8QfguNc1ebu0rV8VZot5Q.M-F9INdX9NInDcV9wke-FA', 1760000000);
insert into settings values ('master-secret-check', '0x9b647c94de281f2793494fb44935b9e6acf0bb5df117e8ca11742a5fe7be60ee');
