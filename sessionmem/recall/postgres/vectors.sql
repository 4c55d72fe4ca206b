CREATE TABLE IF NOT EXISTS model (
    id     integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name   text NOT NULL,
    digest text NOT NULL,
    dims   integer NOT NULL,
    UNIQUE (name, digest, dims)
);
CREATE TABLE IF NOT EXISTS embedding (
    model   integer NOT NULL REFERENCES model ON DELETE CASCADE,
    passage bigint NOT NULL REFERENCES passage ON DELETE CASCADE,
    v       halfvec NOT NULL,
    PRIMARY KEY (passage, model)
);
