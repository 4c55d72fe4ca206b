package postgres

import (
	"fmt"
	"strings"
)

// The statements of a search. They consist only of these constants and the numbers of a
// model.

// allowedSources selects the sources that may be searched: those in the scope that aren't
// cold, and those within a time that the question names. If every session in the scope is
// cold, they are searched too.
const allowedSources = `
asked AS MATERIALIZED (SELECT * FROM unnest(@from::bigint[], @to::bigint[]) t(f, u)),
scope AS MATERIALIZED (
	SELECT s.id, s.session, s.docs,
		@cutoff::bigint > 0 AND s.session <> '' AND s.newest <> 0 AND s.newest <= @cutoff AND s.session <> @session AS cold,
		EXISTS (SELECT FROM asked WHERE f <= s.newest AND s.oldest < u) AS named
	FROM source s
	WHERE CASE WHEN s.session = '' THEN @memory::boolean AND @session = ''
		ELSE @session IN ('', s.session) AND s.session <> @not_session AND (cardinality(@origins::text[]) = 0 OR s.origin = ANY(@origins)) END),
allowed AS MATERIALIZED (SELECT id, cold FROM scope WHERE NOT cold OR named OR NOT EXISTS (SELECT FROM scope WHERE session <> '' AND NOT cold))`

// counted returns how much there is, and how much is left out because it is cold.
const counted = `WITH ` + allowedSources + `
SELECT coalesce((SELECT sum(docs) FROM scope WHERE id NOT IN (SELECT id FROM allowed)), 0)::bigint,
	coalesce((SELECT sum(docs) FROM source), 0)::bigint, coalesce((SELECT sum(words) FROM source), 0)::bigint,
	EXISTS (SELECT FROM source WHERE cold AND id IN (SELECT id FROM allowed))`

// byWords finds passages by words. As in the index of a machine (recall/index), a message
// gets a share of the words of its neighbours and of its session. Here a word occurs in a
// passage or not; the caller counts how often. Common terms take no part (see gather): they
// are looked up only for the passages that the others found. %s is the tier.
const byWords = `
beside AS MATERIALIZED (SELECT * FROM unnest(@offsets::integer[], @shares::float8[]) o(off, share)),
total AS MATERIALIZED (SELECT greatest(sum(docs), 1)::float8 AS docs, greatest(count(*), 1)::float8 AS sources, greatest(sum(words), 1)::float8 / greatest(count(*), 1) AS words FROM source),
hit AS MATERIALIZED (
	SELECT q.term, p.* FROM unnest(@queries::text[], @terms::bigint[]) q(query, term)
	CROSS JOIN LATERAL (
		SELECT id, source, strand, message, parts, part, asks, CASE WHEN part = 0 THEN least(1, @beginning::float8 / greatest(length, 1)) ELSE 0 END AS begins
		FROM passage WHERE (%s) LIMIT @most) p),
rare AS MATERIALIZED (
	SELECT term, n, weight, weight * (@k::float8 + 1) * power(ln(1 + (docs - n + .5) / (n + .5)), @rarity::float8) AS w
	FROM (SELECT term, greatest(count(*), max(of)) AS n, max(weight) AS weight FROM hit JOIN unnest(@terms, @weights::float8[], @counts::bigint[]) t(term, weight, of) USING (term) GROUP BY term) h, total),
said AS MATERIALIZED (
	SELECT term, source, strand, message, max(own) AS own, sum(near) AS near FROM (
		SELECT term, source, strand, message, 1 AS own, 0::float8 AS near FROM hit
		UNION ALL
		SELECT term, source, strand, message + off, 0, begins * share * CASE WHEN off = 1 AND asks THEN @reply::float8 ELSE 1 END FROM hit, beside WHERE begins > 0) s
	GROUP BY term, source, strand, message),
session AS MATERIALIZED (
	SELECT b.source, sum(r.weight * power(ln(1 + (t.sources - o.n + .5) / (o.n + .5)), @rarity) * b.n * (@session_k::float8 + 1)
		/ (b.n + @session_k * (1 - @session_b::float8 + @session_b * s.words / t.words))) AS score
	FROM (SELECT term, source, sum(power(parts, -@spread::float8)) AS n FROM hit GROUP BY term, source) b
	JOIN (SELECT term, count(DISTINCT source) AS n FROM hit GROUP BY term) o USING (term)
	JOIN rare r USING (term) JOIN source s ON s.id = b.source, total t
	GROUP BY b.source),
message AS MATERIALIZED (
	SELECT source, strand, message, sum(w * ((own + near) / (own + near + @k) + @own::float8 * own / (own + @k))) AS words FROM said JOIN rare USING (term)
	GROUP BY source, strand, message),
best AS MATERIALIZED (SELECT (SELECT max(words) FROM message) AS words, (SELECT max(score) FROM session) AS session),
top AS MATERIALIZED ( -- added up, not joined: the planner takes these lists for short
	SELECT source, strand, message, m.words, m.words / b.words + @session_share::float8 * m.session / b.session AS base
	FROM (SELECT source, strand, message, words, max(score) OVER (PARTITION BY source) AS session FROM (
			SELECT source, strand, message, words, NULL::float8 AS score FROM message UNION ALL SELECT source, NULL, NULL, NULL, score FROM session) s) m, best b
	WHERE message IS NOT NULL AND m.session IS NOT NULL AND source IN (SELECT id FROM allowed) ORDER BY base DESC LIMIT 2 * @limit::integer),
lexical AS MATERIALIZED ( -- added up as well
	SELECT id FROM (
		SELECT p.id, top.base, 0::float8 AS w, power(p.parts, -CASE WHEN p.role = @assistant THEN @answers::float8 ELSE @spread END) AS share
		FROM top JOIN passage p USING (source, strand, message)
		UNION ALL
		SELECT hit.id, NULL, w, NULL FROM hit JOIN rare USING (term)) s
	GROUP BY id HAVING max(base) IS NOT NULL
	ORDER BY (max(base) + .5 * sum(w) / (SELECT words FROM best)) * max(share) DESC, id
	LIMIT @limit)`

// byMeaning finds the nearest passages by the vectors of a model. %[1]d is their dimensions.
const byMeaning = `
meant AS MATERIALIZED (
	SELECT e.passage AS id FROM embedding e JOIN passage p ON p.id = e.passage
	WHERE e.model = @model AND p.source IN (SELECT id FROM allowed)
	ORDER BY e.v::halfvec(%[1]d) <=> @vector::text::halfvec(%[1]d) LIMIT @nearest),
cosine AS MATERIALIZED (
	SELECT passage, 1 - (v <=> @vector::text::halfvec) AS cosine FROM embedding WHERE model = @model AND passage IN (SELECT id FROM chosen)),
average AS MATERIALIZED (
	SELECT avg(1 - (v <=> @vector::text::halfvec)) AS cosine FROM (
		SELECT v FROM embedding WHERE model = @model AND passage = ANY(ARRAY(
			SELECT generate_series(min(id), max(id), greatest((max(id) - min(id)) / 1000, 1)) FROM passage))) s)`

// nearby returns which terms of the question the neighbours of the chosen messages contain.
const nearby = `
near AS MATERIALIZED (
	SELECT source, strand, message, array_agg(term) AS terms, array_agg(near) AS nears FROM (
		SELECT term, source, strand, message, near FROM said JOIN place USING (source, strand, message)
		UNION ALL
		SELECT q.term, place.source, place.strand, place.message, sum(least(1, @beginning / greatest(n.length, 1)) * o.share * CASE WHEN o.off = 1 AND n.asks THEN @reply ELSE 1 END)
		FROM place CROSS JOIN beside o JOIN passage n ON n.source = place.source AND n.strand = place.strand AND n.message = place.message - o.off AND n.part = 0
		JOIN unnest(@common::text[], @common_terms::bigint[]) q(query, term) ON n.words @@ q.query::tsquery
		GROUP BY q.term, place.source, place.strand, place.message) t
	GROUP BY source, strand, message)`

// described lists the columns of the chosen passages.
const described = `
SELECT p.id, p.source, p.strand, p.message, p.part, p.parts, p.block, p.turn, p.role, p.agent, p.path, p.said, p.untrusted, p.sources, p.length, p.marks, p.text,
	s.key, s.session, s.origin, s.print, CASE WHEN s.machine = @me THEN '' ELSE coalesce(nullif(m.name, ''), 'another machine') END,
	coalesce(session.score / best.session, 0), coalesce(around.words, 0), near.terms, near.nears, (SELECT array_agg(n ORDER BY term) FROM rare), (SELECT array_agg(term ORDER BY term) FROM rare)`

// describedFrom is the FROM clause of described.
const describedFrom = `
FROM chosen c JOIN passage p USING (id) JOIN source s ON s.id = p.source JOIN machine m ON m.id = s.machine
LEFT JOIN session ON session.source = p.source
LEFT JOIN LATERAL (SELECT sum(least(n.length, @beginning) * o.share) AS words FROM beside o JOIN passage n
	ON n.source = p.source AND n.strand = p.strand AND n.message = p.message - o.off AND n.part = 0) around ON true
LEFT JOIN near
	ON near.source = p.source AND near.strand = p.strand AND near.message = p.message
CROSS JOIN best`

// besideMeant joins the cosines of a passage and of its neighbouring messages.
const besideMeant = `
LEFT JOIN cosine ON cosine.passage = p.id
LEFT JOIN LATERAL (SELECT 1 - (e.v <=> @vector::text::halfvec) AS cosine FROM passage n JOIN embedding e ON e.passage = n.id AND e.model = @model
	WHERE n.source = p.source AND n.strand = p.strand AND n.message = p.message - 1 AND n.part = 0) before ON true
LEFT JOIN LATERAL (SELECT 1 - (e.v <=> @vector::text::halfvec) AS cosine FROM passage n JOIN embedding e ON e.passage = n.id AND e.model = @model
	WHERE n.source = p.source AND n.strand = p.strand AND n.message = p.message + 1 AND n.part = 0) after ON true`

// The tiers to search: each has an index of its own.
const (
	tierWarm = `words @@ q.query::tsquery AND NOT cold`
	tierAll  = `words @@ q.query::tsquery AND NOT cold OR words @@ q.query::tsquery AND cold`
)

// saidThen selects the messages of the times that the question names.
const saidThen = `WITH ` + allowedSources + `
SELECT p.id, p.source, p.strand, p.message, p.part, p.parts, p.block, p.turn, p.role, p.agent, p.path, p.said, p.untrusted, p.sources, p.length, p.marks, p.text,
	s.key, s.session, s.origin, s.print, CASE WHEN s.machine = @me THEN '' ELSE coalesce(nullif(m.name, ''), 'another machine') END
FROM asked JOIN passage p ON p.said >= f AND p.said < u AND p.said <> 0 JOIN source s ON s.id = p.source JOIN machine m ON m.id = s.machine
WHERE p.source IN (SELECT id FROM allowed) ORDER BY p.source, p.strand, p.message, p.part LIMIT 2000`

// candidates returns the statement of a search: dims is the model's, 0 without one.
func candidates(all, meaningOnly bool, dims int) string {
	tier := tierWarm
	if all {
		tier = tierAll
	}
	with := []string{allowedSources, fmt.Sprintf(byWords, tier)}
	columns, from := ", NULL::float8, NULL::float8, NULL::float8, NULL::float8", describedFrom
	chosen := "SELECT id FROM lexical"
	if dims > 0 {
		if chosen += " UNION SELECT id FROM meant"; meaningOnly {
			chosen = "SELECT id FROM meant"
		}
		with = append(with, fmt.Sprintf(byMeaning, dims))
		columns, from = ", cosine.cosine, before.cosine, after.cosine, (SELECT cosine FROM average)", describedFrom+besideMeant
	}
	with = append(with, "\nchosen AS MATERIALIZED ("+chosen+")", "\nplace AS MATERIALIZED (SELECT DISTINCT source, strand, message FROM passage WHERE id IN (SELECT id FROM chosen))",
		nearby)
	return "WITH RECURSIVE " + strings.Join(with, ",") + described + columns + from // RECURSIVE allows any order
}
