-- From the tables of version 2. The rows stay until their machine compares its files with them, so
-- that the others find them meanwhile. Nothing is known of the places of their terms.
INSERT INTO mirror_machine(uid, name, seen) SELECT uid, name, seen FROM machine;
INSERT INTO mirror(machine, file, number, print, hash, id, session, source, path, block, part, turn, kind, agent, time, sources, text, words)
SELECT m.uid, s.id, row_number() OVER (PARTITION BY s.id ORDER BY p.strand, p.message, p.part), 0, 0, '', s.session, s.origin, CASE WHEN s.session = '' THEN p.path ELSE '' END,
    p.block, p.part, p.turn, p.role, p.agent, p.said, p.sources, p.text,
    (SELECT coalesce(string_agg('''' || replace(replace(t, '\', '\\'), '''', '''''') || ''':' || least(n, 16383), ' '), '') FROM unnest(p.terms) WITH ORDINALITY w(t, n))::tsvector
FROM passage p JOIN source s ON s.id = p.source JOIN machine m ON m.id = s.machine;
DROP TABLE IF EXISTS embedding, model, forgotten_key, forgotten, passage, source, machine;
