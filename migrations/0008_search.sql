-- Full-text search over all items and their former wordings, without case and accents.

-- Letters without their marks, in lower case; what is no part of a word becomes a blank, so that the
-- parser sees plain words and neither hosts nor numbers with points. Cyrillic is lowered by hand,
-- because a database of locale C does not know it.
CREATE FUNCTION search_fold(written text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN translate(
    lower(regexp_replace(normalize(written, NFD), '[\u0300-\u036f]', '', 'g')),
    'łøđıАБВГДЕЖЗИКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЄІҐŁØĐ-–—_./:;,@+&#%*=<>()[]{}|\!?"''„“”‚‘’«»…',
    'lodiабвгдежзиклмнопрстуфхцчшщъыьэюяєіґlod                                       '
);

CREATE FUNCTION search_words(title text, lede text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE STRICT
RETURN setweight(to_tsvector('simple', search_fold(title)), 'A')
    || setweight(to_tsvector('simple', search_fold(lede)), 'D');

-- Generated, so that ranking need not read the texts again.
ALTER TABLE items ADD COLUMN words tsvector GENERATED ALWAYS AS (search_words(title, lede)) STORED;
ALTER TABLE item_revisions
    ADD COLUMN words tsvector GENERATED ALWAYS AS (search_words(title, lede)) STORED;
CREATE INDEX ON items USING gin (words);
CREATE INDEX ON item_revisions USING gin (words);
