"""Names of one thing as she sees them: which were merged, merge more, take a merge back. Nothing is compiled here."""

from __future__ import annotations

from trisynapse_memory.errors import InvalidInputError, UnknownAliasError
from trisynapse_memory.pipelines.reading import Reading
from trisynapse_memory.pipelines.rooms import Rooms
from trisynapse_memory.text.entities import entity_key, is_generic
from trisynapse_memory.types import Alias, AliasDetails, Draft, Kind, Namespace


class Aliases:
    """The noun door ``engine.aliases``."""

    def __init__(self, rooms: Rooms, reading: Reading, writer: Namespace) -> None:
        self._rooms = rooms
        self._reading = reading
        self._writer = writer

    def list(self) -> tuple[Alias, ...]:
        """Return all merged names: found with evidence in the sources, or said by her."""
        return self._rooms.claims.aliases(self._reading.scope())

    def merge(self, name: str, other: str) -> Alias:
        """Say that two names mean one thing; the first one is what it is called from now on.

        Raises:
            InvalidInputError: a name names nothing by itself, or both are the same name already.
        """
        for one in (name, other):
            if is_generic(one):
                raise InvalidInputError(f"'{one}' names nothing by itself.", hint="Give the full name of the thing.")
        if entity_key(name) == entity_key(other):
            raise InvalidInputError(f"'{name}' and '{other}' are one name already.", hint="There is nothing to merge.")
        details = AliasDetails(names=(name, other), canonical=name)
        self._append(f"{other} is {name}.", details)
        keys = {entity_key(name), entity_key(other)}
        return next(one for one in self.list() if keys <= {entity_key(said) for said in (one.canonical, *one.names)})

    def unmerge(self, alias_id: str) -> tuple[Alias, ...]:
        """Say that a merge was wrong; return the merges that are left.

        Raises:
            UnknownAliasError: no merge has that id.
        """
        known = {one.alias_id: one for one in self.list()}
        if alias_id not in known:
            raise UnknownAliasError(f"There is no merge '{alias_id}'.", hint="`aliases list` shows their ids.")
        wrong = known[alias_id]
        details = AliasDetails(names=wrong.names, canonical=wrong.canonical, removed=True, alias_id=alias_id)
        self._append(f"{' and '.join(wrong.names)} are not one thing.", details)
        return self.list()

    def _append(self, text: str, details: AliasDetails) -> None:
        draft = Draft(kind=Kind.ALIAS, text=text, payload=details, namespace=self._writer)
        self._rooms.log.append([draft])
        self._rooms.projector.catch_up()
