-- +goose Up
-- The forgettings that machines share (see sessionmem/forgotten), sealed with a key. The key is
-- stored only in sealed form, once per machine, for its public key.
ALTER TABLE machine ADD COLUMN public bytea;
CREATE TABLE forgotten (
    id    text PRIMARY KEY,
    key   text NOT NULL, -- ID of the key
    box   bytea NOT NULL,
    swept boolean NOT NULL DEFAULT false -- the passages it covers were removed
);
CREATE TABLE forgotten_key (
    id      text NOT NULL,
    machine integer NOT NULL REFERENCES machine ON DELETE CASCADE,
    box     bytea NOT NULL,
    PRIMARY KEY (id, machine)
);
