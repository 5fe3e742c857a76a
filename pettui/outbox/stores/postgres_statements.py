"""The statements of PostgresPeople: whose a row is, and how it changes.

A row is alive while its process is, in the epoch that stands in the row. Named values are
psycopg's; numbers in braces go into a script, which is one message and one transaction.
"""

from __future__ import annotations

from typing import Final

from pettui.outbox.people import ON_THE_WAY
from pettui.outbox.stores.contents import ENTRY, HAS_STORE, WRAPPED

_FREE: Final = 0  # the process of what belongs to nobody
_IS_ALIVE: Final = (
    "EXISTS (SELECT FROM pettui_processes AS p"
    " WHERE p.id = {row}.process AND p.epoch = {row}.epoch AND p.is_alive)"
)
_MINE: Final = "process = %(process)s AND epoch = %(epoch)s AND session = %(session)s"
# Only while this process is alive in its epoch: whoever declares it dead waits, or is first.
_ME: Final = """
    me AS (
        SELECT id, epoch FROM pettui_processes
        WHERE id = %(process)s AND epoch = %(epoch)s AND is_alive FOR SHARE
    )
"""


_VALUES: Final = ("%(process)s", "%(epoch)s", "%(open)s")
_NUMBERS: Final = ("{process}", "{epoch}", "ARRAY[{open}]")  # in a script


def _abandoned(row: str, values: tuple[str, str, str] = _VALUES) -> str:
    """Whether a row is of nobody, or of a session of this process that is closed."""
    process, epoch, sessions = values
    is_mine = f"{row}.process = {process} AND {row}.epoch = {epoch}"
    is_closed = f"{row}.session <> ALL({sessions}::bigint[])"
    return f"(NOT {_IS_ALIVE.format(row=row)} OR ({is_mine} AND {is_closed}))"


def _left_draft(values: tuple[str, str, str] = _VALUES) -> str:
    """Whether a draft is abandoned; one of a session that is open here is not.

    It may be of the process that this one was before it began anew.
    """
    return f"(d.session <> ALL({values[-1]}::bigint[]) AND {_abandoned('d', values)})"


_BUMP: Final = """
    bumped AS (
        UPDATE pettui_owners SET version = version + 1
        WHERE id = %(owner)s AND EXISTS (SELECT FROM done)
    )
"""
OWNER: Final = """
    INSERT INTO pettui_owners (people, owner, profile, name, fingerprint)
    VALUES (%(people)s, %(owner)s, %(profile)s, '', '')
    ON CONFLICT (people, owner) DO NOTHING RETURNING id
"""
TURN: Final = f"""
    INSERT INTO pettui_turns AS t (people, process, epoch)
    SELECT %(people)s, id, epoch FROM pettui_processes
        WHERE id = %(process)s AND epoch = %(epoch)s AND is_alive
    ON CONFLICT (people) DO UPDATE SET process = excluded.process, epoch = excluded.epoch
        WHERE t.process = excluded.process OR NOT {_IS_ALIVE.format(row="t")}
    RETURNING 1
"""
LOG_IN: Final = """
    WITH before AS (SELECT id, added FROM pettui_owners WHERE id = %(owner)s FOR UPDATE)
    UPDATE pettui_owners AS o SET name = %(name)s, fingerprint = %(fingerprint)s, added = 0
    FROM before WHERE o.id = before.id RETURNING before.added
"""


def _bytea(text: bytes) -> str:
    """Return a literal; in hexadecimal, since braces are for numbers in a script."""
    return f"'\\x{text.hex()}'::bytea"


_IS_ON_THE_WAY: Final = "state IN ({})".format(", ".join(f"'{each.value}'" for each in ON_THE_WAY))
_IS_WRAPPED: Final = f"position({_bytea(WRAPPED)} IN content) = 1"
_HAS_STORE: Final = f"position({_bytea(HAS_STORE)} IN content) > 0"
_WRAP: Final = f'{WRAPPED.decode()}"", "{ENTRY}": '.encode()
LEFT: Final = f"""
    SELECT FROM pettui_entries AS e WHERE e.owner = o.id
        AND {_IS_ON_THE_WAY} AND NOT {_IS_WRAPPED} AND {_abandoned("e")}
"""
# A copy that takes the place of an entry names it; what is typed can't look like that in JSON.
CENSUS: Final = f"""
    SELECT count(*) FILTER (WHERE {_IS_ON_THE_WAY}),
        count(*) FILTER (WHERE state = 'refused' AND NOT is_hidden),
        count(*) FILTER (WHERE state = 'unknown' AND NOT is_hidden),
        min(entry_id COLLATE "C") FILTER (WHERE {_IS_ON_THE_WAY} AND NOT is_wrapped)
    FROM (
        SELECT e.state, e.entry_id, {_IS_WRAPPED} AS is_wrapped,
            e.state IN ('refused', 'unknown') AND EXISTS (
                SELECT FROM pettui_entries AS r WHERE r.owner = e.owner AND position(
                    convert_to('"replaces": "' || e.entry_id || '"', 'UTF8') IN r.content
                ) > 0
            ) AS is_hidden
        FROM pettui_entries AS e JOIN pettui_owners AS o ON o.id = e.owner
        WHERE o.people = %(people)s AND e.state <> 'added'
    ) AS found
"""
ENTRIES: Final = f"""
    SELECT entry_id, state, content, session, process = %(process)s AND epoch = %(epoch)s,
        {_abandoned("e")}
    FROM pettui_entries AS e WHERE owner = %(owner)s ORDER BY entry_id COLLATE "C"
"""
# What a session took over without getting the result is left, too.
DRAFTS_LEFT: Final = f"""
    SELECT EXISTS (
        SELECT FROM pettui_drafts AS d WHERE owner = %(owner)s AND CASE
            WHEN session = %(session)s THEN number >= %(unknown)s ELSE {_left_draft()} END
    )
"""
ADD: Final = f"""
    WITH {_ME}, done AS (
        INSERT INTO pettui_entries (owner, entry_id, process, epoch, session, state, content)
        SELECT %(owner)s, new.id, me.id, me.epoch, %(session)s, new.state, new.content
        FROM me, unnest(%(ids)s::text[], %(states)s::text[], %(contents)s::bytea[])
            AS new (id, state, content)
        RETURNING 1
    ), dropped AS (
        DELETE FROM pettui_drafts WHERE owner = %(owner)s AND session = %(session)s
            AND number = %(draft)s AND EXISTS (SELECT FROM done)
    ), {_BUMP}
    SELECT count(*) FROM done
"""
CHANGE: Final = f"""
    WITH done AS (
        UPDATE pettui_entries SET state = %(state)s, content = %(content)s
        WHERE owner = %(owner)s AND entry_id = %(entry_id)s AND state = ANY(%(states)s)
            AND {_MINE} RETURNING 1
    ), {_BUMP}
    SELECT count(*) FROM done
"""
CORRECT: Final = f"""
    WITH {_ME}, done AS (
        UPDATE pettui_entries AS e SET state = %(state)s, content = %(content)s,
            process = me.id, epoch = me.epoch, session = %(session)s
        FROM me WHERE owner = %(owner)s AND entry_id = %(entry_id)s
            AND (state = ANY(%(states)s) OR (state = 'sending' AND session = %(session)s))
        RETURNING 1
    ), {_BUMP}
    SELECT count(*) FROM done
"""
_PUT_DRAFT: Final = """
    INSERT INTO pettui_drafts (owner, session, number, process, epoch, content, written)
    SELECT %(owner)s, %(session)s, %(number)s, me.id, me.epoch, {content}, clock_timestamp()
    FROM me {only}
    ON CONFLICT (owner, session, number) DO UPDATE SET process = excluded.process,
        epoch = excluded.epoch, content = excluded.content, written = excluded.written
"""
TAKE_BACK: Final = f"""
    WITH {_ME}, done AS (
        DELETE FROM pettui_entries
        WHERE owner = %(owner)s AND entry_id = %(entry_id)s AND state = %(state)s AND {_MINE}
            AND EXISTS (SELECT FROM me)
        RETURNING 1
    ), kept AS (
        {_PUT_DRAFT.format(content="%(content)s", only="WHERE EXISTS (SELECT FROM done)")}
    ), {_BUMP}
    SELECT count(*) FROM done
"""
REMOVE: Final = f"""
    WITH done AS (
        DELETE FROM pettui_entries
        WHERE owner = %(owner)s AND entry_id = %(entry_id)s AND state = %(state)s AND {_MINE}
        RETURNING 1
    ), {_BUMP}
    SELECT count(*) FROM done
"""
KEEP_DRAFT: Final = f"""
    WITH {_ME}, done AS ({_PUT_DRAFT.format(content="%(content)s", only="")} RETURNING 1)
    SELECT count(*) FROM done
"""
DROP_DRAFT: Final = f"""
    WITH {_ME}, done AS (
        DELETE FROM pettui_drafts
        WHERE owner = %(owner)s AND session = %(session)s AND number = %(number)s
            AND EXISTS (SELECT FROM me) RETURNING 1
    )
    SELECT count(*) FROM done
"""
KEEP_OWN: Final = f"""
    WITH {_ME}
    UPDATE pettui_drafts AS d SET process = me.id, epoch = me.epoch FROM me
    WHERE owner = %(owner)s AND session = %(session)s
"""
# Of what was done in doubt; each returns whether this process is alive, without which nothing is
# undone, and whether another server has it by now. Rows are locked, so
# that it is what they say now, and not what they said as the statement began.
UNDO_ADD: Final = f"""
    WITH {_ME}, there AS (
        SELECT entry_id, session, state FROM pettui_entries
        WHERE owner = %(owner)s AND entry_id = ANY(%(ids)s) FOR UPDATE
    ), done AS (
        DELETE FROM pettui_entries AS e USING there
        WHERE e.owner = %(owner)s AND e.entry_id = there.entry_id
            AND there.session = %(session)s AND there.state = 'waiting'
            AND e.session = %(session)s AND e.state = 'waiting'
            AND EXISTS (SELECT FROM me) RETURNING 1
    ), kept AS (
        {
    _PUT_DRAFT.format(content="%(draft)s", only="WHERE %(has_draft)s AND EXISTS (SELECT FROM done)")
}
    ), {_BUMP}
    SELECT EXISTS (SELECT FROM me),
        EXISTS (SELECT FROM there WHERE session <> %(session)s OR state <> 'waiting')
"""
UNDO_CHANGE: Final = f"""
    WITH done AS (
        UPDATE pettui_entries SET state = %(was)s, content = %(content)s
        WHERE owner = %(owner)s AND entry_id = %(entry_id)s AND state = %(state)s
            AND {_MINE} RETURNING 1
    ), {_BUMP}
    SELECT true, false
"""
UNDO_TAKE_BACK: Final = f"""
    WITH {_ME}, dropped AS (
        DELETE FROM pettui_drafts
        WHERE owner = %(owner)s AND session = %(session)s AND number = %(number)s
            AND EXISTS (SELECT FROM me) AND NOT EXISTS (
                SELECT FROM pettui_entries WHERE owner = %(owner)s AND entry_id = %(entry_id)s
            )
        RETURNING 1
    ), done AS (
        INSERT INTO pettui_entries (owner, entry_id, process, epoch, session, state, content)
        SELECT %(owner)s, %(entry_id)s, me.id, me.epoch, %(session)s, %(was)s, %(content)s
        FROM me, dropped RETURNING 1
    ), {_BUMP}
    SELECT EXISTS (SELECT FROM me), false
"""
# The owner's row is locked first: of two that take over, one does, and the other sees that.
_LOCK_OWNER: Final = "UPDATE pettui_owners SET version = version + 1 WHERE id = {owner}"
# An earlier version says of an owner, and of no entry, that it is for an API key of the user's own.
_MARK: Final = f"""
    UPDATE pettui_entries AS e SET content = {_bytea(_WRAP)} || content || {_bytea(b"}")}
    FROM pettui_owners AS o WHERE e.owner = {{owner}} AND o.id = e.owner
        AND o.own_key_process IS NOT NULL
        AND {_IS_ON_THE_WAY} AND NOT {_IS_WRAPPED} AND {_abandoned("e", _NUMBERS)};
    UPDATE pettui_owners AS o SET own_key_process = NULL WHERE id = {{owner}} AND NOT EXISTS (
        SELECT FROM pettui_processes AS p
        WHERE p.id = o.own_key_process AND p.epoch = o.own_key_epoch AND p.is_alive
    )
"""
TAKE_OVER: Final = f"""
    {_LOCK_OWNER};
    {_MARK};
    UPDATE pettui_entries AS e SET process = {{process}}, epoch = {{epoch}}, session = {{session}},
        state = CASE WHEN state = 'sending' AND NOT {_HAS_STORE} THEN 'unknown' ELSE state END
    WHERE owner = {{owner}} AND {_abandoned("e", _NUMBERS)}
"""
TAKE_DRAFTS: Final = f"""
    {_LOCK_OWNER};
    WITH numbered AS (
        SELECT session, number, row_number() OVER (ORDER BY written, number) - 1 AS place
        FROM pettui_drafts AS d WHERE owner = {{owner}} AND CASE
            WHEN session = {{session}} THEN number >= {{unknown}} ELSE {_left_draft(_NUMBERS)} END
    )
    UPDATE pettui_drafts AS d SET process = {{process}}, epoch = {{epoch}},
        session = {{session}}, number = {{first}} + place
    FROM numbered WHERE d.owner = {{owner}} AND d.session = numbered.session
        AND d.number = numbered.number
    RETURNING d.number, d.content, extract(epoch FROM d.written)::float8;
    SELECT 1
"""
FREE_ALL: Final = f"""
    {_LOCK_OWNER};
    UPDATE pettui_entries SET process = {_FREE}, epoch = 0
    WHERE owner = {{owner}} AND session = {{session}} AND process = {{process}};
    UPDATE pettui_drafts SET process = {_FREE}, epoch = 0
    WHERE owner = {{owner}} AND session = {{session}} AND process = {{process}}
"""
