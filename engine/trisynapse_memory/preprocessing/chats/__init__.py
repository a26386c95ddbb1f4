"""Exports of chats, one module a maker, and the one shape their conversations are kept in. No file is opened here."""
