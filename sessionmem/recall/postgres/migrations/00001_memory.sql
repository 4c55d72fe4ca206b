-- +goose Up
CREATE TABLE machine (
    id   integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    uid  text NOT NULL UNIQUE,
    name text NOT NULL,
    seen timestamptz NOT NULL DEFAULT now()
);
-- A session or a memory file of a machine. print is the print of its files; '' until all of it is there.
CREATE TABLE source (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    machine integer NOT NULL REFERENCES machine ON DELETE CASCADE,
    key     text NOT NULL,
    session text NOT NULL,
    origin  text NOT NULL,
    print   text NOT NULL DEFAULT '',
    docs    bigint NOT NULL DEFAULT 0,
    words   bigint NOT NULL DEFAULT 0,
    oldest  bigint NOT NULL DEFAULT 0, -- seconds since 1970
    newest  bigint NOT NULL DEFAULT 0,
    cold    boolean NOT NULL DEFAULT false,
    UNIQUE (machine, key)
);
CREATE INDEX source_session ON source (session);
-- A message, or a part of a long one. words holds the terms that the program finds in the
-- text, so that all machines search by the same ones: identifiers as written, and the stems of
-- words in the language of the text.
CREATE TABLE passage (
    id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source    bigint NOT NULL REFERENCES source ON DELETE CASCADE,
    strand    smallint NOT NULL,
    message   integer NOT NULL,
    part      integer NOT NULL,
    parts     integer NOT NULL,
    block     text NOT NULL,
    turn      integer NOT NULL,
    role      text NOT NULL,
    agent     text NOT NULL,
    path      text NOT NULL,
    said      bigint NOT NULL, -- seconds since 1970; 0: unknown
    untrusted boolean NOT NULL,
    sources   integer NOT NULL,
    length    integer NOT NULL,
    marks     smallint NOT NULL,
    asks      boolean NOT NULL,
    cold      boolean NOT NULL DEFAULT false,
    mark      text NOT NULL,
    text      text NOT NULL,
    terms     text[] NOT NULL,
    words     tsvector NOT NULL GENERATED ALWAYS AS (array_to_tsvector(terms)) STORED,
    UNIQUE (source, strand, message, part)
);
CREATE INDEX passage_warm ON passage USING gin (words) WHERE NOT cold;
CREATE INDEX passage_cold ON passage USING gin (words) WHERE cold;
CREATE INDEX passage_said ON passage (said);
