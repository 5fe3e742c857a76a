"""The scripts of PostgresOwners: whose a row is, and how it changes.

An entry changes by one UPDATE, on condition that its ``version`` is one that this session knows:
that of its last read, or of a write whose result was lost. So what anybody else changed, took back
or sent is left alone, and a script can be repeated. One that is sent, ``sending``, is claimed until
``until``; of all else only the sessions that hold it are told, and nobody relies on that.

A script that changes something begins with ``BEGIN``: the session's row, with its ``fence``. Once a
result was lost the fence is raised, so that a script which comes late changes nothing. Then the
owner's row is locked, so that all sessions of one person are in order.
"""

from __future__ import annotations

from typing import Final

from pettui.outbox.owners import ON_THE_WAY
from pettui.outbox.stores.contents import ENTRY, HAS_STORE, WRAPPED

# What a script sets is set for it alone.
FIRST: Final = """
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    SET LOCAL statement_timeout = '3s';
    SET LOCAL lock_timeout = '2s';
    SELECT set_config('synchronous_commit', 'on', true)
        WHERE current_setting('synchronous_commit') = 'off'
"""
_END: Final = "clock_timestamp() + %(held)s * interval '1 s'"
_OVER: Final = "'-infinity'::timestamptz"


def _is_held(until: str) -> str:
    """Whether something ends in the future, and not long after it can: the clock was set back."""
    return f"({until} BETWEEN clock_timestamp() AND {_END} + %(held)s * interval '1 s')"


def _is_live(row: str) -> str:
    """Whether the session of a row still runs, as far as is known."""
    return (
        f"EXISTS (SELECT FROM pettui_sessions AS s WHERE s.session = {row}.session"
        f" AND {_is_held('s.until')})"
    )


def _is_ending(until: str) -> str:
    """Whether it is time to extend something; once in a few looks is enough."""
    return f"({until} NOT BETWEEN clock_timestamp() + %(held)s * interval '0.6 s' AND {_END})"


BEGIN: Final = f"""
    INSERT INTO pettui_sessions AS s (session, owner, fence, until)
    VALUES (%(session)s, %(owner)s, %(fence)s, {_END})
    ON CONFLICT (session) DO UPDATE SET fence = excluded.fence, until = excluded.until
        WHERE s.fence <= excluded.fence;
    SELECT 1 / count(*) FROM pettui_sessions
        WHERE session = %(session)s AND fence = %(fence)s
"""
_CHANGE_OWNER: Final = "UPDATE pettui_owners SET version = version + 1 WHERE id = %(owner)s"
_LOCK_OWNER: Final = "SELECT 1 FROM pettui_owners WHERE id = %(owner)s FOR NO KEY UPDATE"

# Owners

OWNER: Final = """
    INSERT INTO pettui_owners (people, owner, profile, name, fingerprint)
    VALUES (%(people)s, %(owner)s, %(profile)s, '', '') ON CONFLICT (people, owner) DO NOTHING;
    SELECT id FROM pettui_owners WHERE people = %(people)s AND owner = %(owner)s
"""
TURN: Final = f"""
    INSERT INTO pettui_turns AS t (people, holder, until) VALUES (%(people)s, %(holder)s, {_END})
    ON CONFLICT (people) DO UPDATE SET holder = excluded.holder, until = excluded.until
        WHERE t.holder = excluded.holder OR NOT {_is_held("t.until")}
    RETURNING 1
"""
END_TURN: Final = f"""
    UPDATE pettui_turns SET until = {_OVER} WHERE people = %(people)s AND holder = %(holder)s
"""
LOG_IN: Final = """
    WITH before AS (SELECT id, added FROM pettui_owners WHERE id = %(owner)s FOR UPDATE)
    UPDATE pettui_owners AS o SET name = %(name)s, fingerprint = %(fingerprint)s, added = 0
    FROM before WHERE o.id = before.id RETURNING before.added
"""


def _bytea(text: bytes) -> str:
    return f"'\\x{text.hex()}'::bytea"


_IS_ON_THE_WAY: Final = "state IN ({})".format(", ".join(f"'{each.value}'" for each in ON_THE_WAY))
_IS_WRAPPED: Final = f"position({_bytea(WRAPPED)} IN content) = 1"
_HAS_STORE: Final = f"position({_bytea(HAS_STORE)} IN content) > 0"
_WRAP: Final = f'{WRAPPED.decode()}"", "{ENTRY}": '.encode()
# What version 1 of the tables marked for an API key of the user's own, it marked at the owner. What
# its servers were sending is claimed by nobody, and unknown if no store adds it once.
CONVERT_ENTRIES: Final = f"""
    UPDATE pettui_entries AS e SET content = {_bytea(_WRAP)} || content || {_bytea(b"}")}
        FROM pettui_owners AS o WHERE e.owner = o.id AND o.own_key_process IS NOT NULL
            AND {_IS_ON_THE_WAY} AND NOT {_IS_WRAPPED};
    UPDATE pettui_entries SET state = 'unknown' WHERE state = 'sending' AND NOT {_HAS_STORE}
"""
CENSUS: Final = f"""
    SELECT count(*) FILTER (WHERE {_IS_ON_THE_WAY}),
        count(*) FILTER (WHERE state = 'refused'), count(*) FILTER (WHERE state = 'unknown'),
        min(entry_id COLLATE "C") FILTER (WHERE {_IS_ON_THE_WAY} AND NOT {_IS_WRAPPED})
    FROM pettui_entries AS e JOIN pettui_owners AS o ON o.id = e.owner
    WHERE o.people = %(people)s AND e.state <> 'added'
"""
# What waits of somebody of whom no session runs.
UNATTENDED: Final = f"""
    EXISTS (
        SELECT FROM pettui_entries AS e WHERE e.owner = o.id AND {_IS_ON_THE_WAY}
            AND NOT {_IS_WRAPPED} AND NOT (state = 'sending' AND {_is_held("e.until")})
    ) AND NOT EXISTS (
        SELECT FROM pettui_sessions AS s WHERE s.owner = o.id AND {_is_held("s.until")}
    )
"""
# All sessions of this process at once. What is just being changed is left for the next look.
LOOK: Final = f"""
    WITH ending AS (
        SELECT session FROM pettui_sessions
        WHERE session = ANY(%(sessions)s::bigint[]) AND {_is_ending("until")}
        FOR UPDATE SKIP LOCKED
    )
    UPDATE pettui_sessions AS s SET until = {_END} FROM ending WHERE s.session = ending.session;
    WITH ending AS (
        SELECT owner, entry_id FROM pettui_entries
        WHERE owner = ANY(%(owners)s::bigint[]) AND state = 'sending'
            AND session = ANY(%(sessions)s::bigint[])
            AND {_is_held("until")} AND {_is_ending("until")}
        FOR UPDATE SKIP LOCKED
    )
    UPDATE pettui_entries AS e SET until = {_END} FROM ending
        WHERE e.owner = ending.owner AND e.entry_id = ending.entry_id
        RETURNING e.session, e.entry_id;
    SELECT id, version FROM pettui_owners WHERE id = ANY(%(owners)s::bigint[])
"""
# Whether changes are taken again: what is written has no room in what is there, and goes at once.
PROBE: Final = f"""
    UPDATE pettui_owners SET version = version WHERE id = 0;
    INSERT INTO pettui_sessions (session, owner, fence, until) VALUES (0, 0, 0, {_OVER})
        ON CONFLICT (session) DO UPDATE SET until = excluded.until;
    INSERT INTO pettui_entries (owner, entry_id, session, state, content, version)
        SELECT 0, gen_random_uuid()::text, 0, 'added', convert_to(string_agg(
            md5(random()::text), ''), 'UTF8'), 0 FROM generate_series(1, 250);
    UPDATE pettui_entries SET version = 1 WHERE owner = 0;
    DELETE FROM pettui_entries WHERE owner = 0;
    INSERT INTO pettui_drafts (owner, form, session, content, written)
        VALUES (0, 0, 0, '', clock_timestamp()) ON CONFLICT (owner, form) DO UPDATE SET session = 0;
    DELETE FROM pettui_drafts WHERE owner = 0;
    INSERT INTO pettui_receipts (owner, key, day, content) VALUES (0, '', '2000-01-01', '')
        ON CONFLICT DO NOTHING;
    DELETE FROM pettui_receipts WHERE owner = 0;
    INSERT INTO pettui_turns (people, holder, until) VALUES ('', 0, {_OVER})
        ON CONFLICT (people) DO UPDATE SET holder = 0
"""

# Entries

ENTRIES: Final = f"""
    SELECT version FROM pettui_owners WHERE id = %(owner)s;
    SELECT EXISTS (
        SELECT FROM pettui_drafts AS d WHERE owner = %(owner)s AND CASE
            WHEN session = %(session)s THEN form <> ALL(%(forms)s::bigint[])
            ELSE NOT {_is_live("d")} END
    ), EXISTS (
        SELECT FROM pettui_drafts WHERE owner = %(owner)s AND session <> %(session)s
    );
    SELECT entry_id, state, content, version, form, e.session = %(session)s AS is_mine,
        CASE WHEN state = 'sending' THEN {_is_held("e.until")} ELSE {_is_live("e")} END
    FROM pettui_entries AS e WHERE owner = %(owner)s ORDER BY entry_id COLLATE "C"
"""
CUT_OFF: Final = f"""
    {_CHANGE_OWNER};
    UPDATE pettui_entries SET state = 'unknown', version = %(version)s
        WHERE owner = %(owner)s AND state = 'sending' AND NOT {_HAS_STORE}
            AND NOT {_is_held("until")}
"""
# What was said not to be kept, and may be there: of a form that is written again, or of a paste.
_DROP_DOUBTFUL: Final = """
    DELETE FROM pettui_entries WHERE owner = %(owner)s AND version = ANY(%(doubtful)s::bigint[])
        AND (form IS NULL OR form = ANY(%(forms)s::bigint[]))
"""
ADD: Final = f"""
    {_CHANGE_OWNER};
    {_DROP_DOUBTFUL};
    INSERT INTO pettui_entries (owner, entry_id, session, state, content, form, version)
        SELECT %(owner)s, new.id, %(session)s, new.state, new.content, new.form, %(version)s
        FROM unnest(%(ids)s::text[], %(states)s::text[], %(contents)s::bytea[], %(forms)s::bigint[])
            AS new (id, state, content, form)
        ON CONFLICT DO NOTHING;
    DELETE FROM pettui_drafts AS d WHERE owner = %(owner)s AND form = ANY(%(forms)s::bigint[])
        AND EXISTS (
            SELECT FROM pettui_entries AS e
            WHERE e.owner = d.owner AND e.form = d.form AND e.version = %(version)s
        );
    SELECT entry_id, state, content, version FROM pettui_entries
        WHERE owner = %(owner)s AND (version = %(version)s OR form = ANY(%(forms)s::bigint[]))
"""
_MINE: Final = f"""
    owner = %(owner)s AND entry_id = %(entry_id)s AND version = ANY(%(versions)s::bigint[])
        AND NOT (state = 'sending' AND session <> %(session)s AND {_is_held("until")})
"""
_SET: Final = f"""
    SET state = %(state)s, content = %(content)s, version = %(version)s, session = %(session)s,
        until = CASE WHEN %(state)s::text = 'sending' THEN {_END} ELSE {_OVER} END
"""
CHANGE: Final = f"""
    {_CHANGE_OWNER};
    WITH done AS (UPDATE pettui_entries {_SET} WHERE {_MINE} RETURNING 1),
        made AS (
            DELETE FROM pettui_drafts WHERE owner = %(owner)s AND form = ANY(%(forms)s::bigint[])
                AND session = %(session)s AND EXISTS (SELECT FROM done)
        )
    SELECT 1 FROM done
"""
CORRECT: Final = f"""
    {_CHANGE_OWNER};
    UPDATE pettui_entries {_SET} WHERE owner = %(owner)s AND entry_id = %(entry_id)s
        AND (state = ANY(%(states)s) OR (state = 'sending' AND session = %(session)s))
    RETURNING 1
"""
REMOVE: Final = f"""
    {_CHANGE_OWNER};
    DELETE FROM pettui_entries WHERE {_MINE};
    SELECT 1 WHERE NOT EXISTS (
        SELECT FROM pettui_entries WHERE owner = %(owner)s AND entry_id = %(entry_id)s
    )
"""

# Drafts: one has the form's id, and an entry that it becomes has the same

_PUT_DRAFT: Final = """
    INSERT INTO pettui_drafts AS d (owner, form, session, content, written)
    SELECT %(owner)s, %(form)s, %(session)s, %(content)s::bytea, clock_timestamp() {only}
    ON CONFLICT (owner, form) DO UPDATE SET content = excluded.content, written = excluded.written
        WHERE d.session = excluded.session OR d.content = excluded.content
"""
TAKE_BACK: Final = f"""
    {_CHANGE_OWNER};
    WITH done AS (DELETE FROM pettui_entries WHERE {_MINE} RETURNING 1)
    {_PUT_DRAFT.format(only="FROM done")};
    DELETE FROM pettui_drafts WHERE owner = %(owner)s AND form = ANY(%(forms)s::bigint[])
        AND EXISTS (
            SELECT FROM pettui_drafts WHERE owner = %(owner)s AND form = %(form)s
                AND session = %(session)s
        );
    SELECT 1 FROM pettui_drafts
        WHERE owner = %(owner)s AND form = %(form)s AND session = %(session)s
"""
KEEP_DRAFT: Final = f"""
    {_LOCK_OWNER};
    {_DROP_DOUBTFUL};
    {
    _PUT_DRAFT.format(
        only='''WHERE NOT EXISTS (
        SELECT FROM pettui_entries WHERE owner = %(owner)s AND form = %(form)s
    )'''
    )
} RETURNING 1;
    SELECT 1 FROM pettui_entries WHERE owner = %(owner)s AND form = %(form)s
"""
DROP_DRAFT: Final = f"""
    {_LOCK_OWNER};
    {_DROP_DOUBTFUL};
    DELETE FROM pettui_drafts
        WHERE owner = %(owner)s AND form = ANY(%(forms)s::bigint[]) AND session = %(session)s
"""
TAKE_DRAFTS: Final = f"""
    {_LOCK_OWNER};
    UPDATE pettui_drafts AS d SET session = %(session)s
        WHERE owner = %(owner)s AND session <> %(session)s AND NOT {_is_live("d")};
    SELECT form, content, extract(epoch FROM written)::float8 FROM pettui_drafts
        WHERE owner = %(owner)s AND session = %(session)s AND form <> ALL(%(forms)s::bigint[])
        ORDER BY written, form
"""

# The end of a session: its row stays for a while, so that a script which comes late finds it

LEAVE: Final = f"""
    {_CHANGE_OWNER};
    {_DROP_DOUBTFUL};
    UPDATE pettui_entries SET until = {_OVER}
        WHERE owner = %(owner)s AND session = %(session)s AND state = 'sending';
    UPDATE pettui_sessions SET until = clock_timestamp() - interval '1 day'
        WHERE session = %(session)s;
    DELETE FROM pettui_sessions WHERE session IN (
        SELECT session FROM pettui_sessions
        WHERE until < clock_timestamp() - interval '2 days' FOR UPDATE SKIP LOCKED
    )
"""

# Receipts

RECORDS: Final = """
    SELECT day::text, array_agg(content) FROM pettui_receipts
    WHERE owner = %(owner)s AND day BETWEEN %(first)s::date AND %(last)s::date
        AND position(%(having)s::bytea IN content) > 0
    GROUP BY day ORDER BY day DESC
"""
RECORD: Final = """
    INSERT INTO pettui_receipts (owner, key, day, content)
        SELECT %(owner)s, new.key, new.day::date, new.content
        FROM unnest(%(keys)s::text[], %(days)s::text[], %(contents)s::bytea[])
            AS new (key, day, content)
        ON CONFLICT (owner, key) DO NOTHING;
    DELETE FROM pettui_receipts WHERE owner = %(owner)s AND day < (
        SELECT min(day) FROM (
            SELECT DISTINCT day FROM pettui_receipts WHERE owner = %(owner)s
            ORDER BY day DESC LIMIT %(kept)s
        ) AS newest
    )
"""
