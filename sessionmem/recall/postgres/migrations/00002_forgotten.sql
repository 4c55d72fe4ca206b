-- +goose Up
-- What machines tell each other (see sessionmem/forgotten): what one forgot, sealed by a key
-- that stands here only sealed to the public key of each machine.
ALTER TABLE machine ADD COLUMN public bytea;
CREATE TABLE forgotten (
    id    text PRIMARY KEY,
    key   text NOT NULL, -- its id
    box   bytea NOT NULL,
    swept boolean NOT NULL DEFAULT false -- what it means was taken out of the passages
);
CREATE TABLE forgotten_key (
    id      text NOT NULL,
    machine integer NOT NULL REFERENCES machine ON DELETE CASCADE,
    box     bytea NOT NULL,
    PRIMARY KEY (id, machine)
);
