"""Every number of the engine as a row: name, value, unit, range, source. Rows only; nothing is computed here.

``docs/settings.md`` and the settings pane are generated from ``SETTINGS``; code reads ``Config`` fields.
"""

from __future__ import annotations

from msgspec import Struct, structs

from trisynapse_memory.errors import InvalidSettingError

FUSIONS = ("convex", "rrf")


class Setting(Struct, frozen=True):
    """What a settings page says of one number."""

    name: str
    unit: str
    low: float
    high: float
    source: str
    meaning: str


class Config(Struct, frozen=True, kw_only=True):
    """The engine's numbers with their defaults; see ``SETTINGS`` for units, ranges and sources."""

    chunk_max_tokens: int = 220
    chunk_overlap_sentences: int = 1
    file_max_bytes: int = 512 * 1024 * 1024
    page_budget_s: float = 20.0
    file_budget_s: float = 1800.0
    worker_memory_bytes: int = 3 * 1024 * 1024 * 1024
    ingest_batch_pages: int = 32
    embed_batch_count: int = 32
    bm25_k1: float = 1.5
    bm25_b: float = 0.75
    lexical_limit: int = 500
    semantic_limit: int = 200
    candidate_limit: int = 100
    hit_limit: int = 12
    answer_hit_limit: int = 30
    answer_beside_records: int = 4
    fusion: str = "convex"
    rrf_k: float = 60.0
    lexical_weight: float = 0.3
    semantic_weight: float = 0.7
    feedback_weight: float = 1.0
    feedback_count: int = 3
    document_neighbour_weight: float = 0.2
    turn_neighbour_weight: float = 0.4
    mention_weight: float = 0.9
    mention_seed_count: int = 3
    coverage_weight: float = 0.5
    exchange_weight: float = 0.8
    turn_context_weight: float = 0.5
    session_weight: float = 0.1
    place_weight: float = 1.0
    diversity_weight: float = 0.05
    speaker_weight: float = 0.25
    assistant_weight: float = 0.25
    time_weight: float = 0.4
    asking_weight: float = 0.2
    graph_weight: float = 0.0
    activation_weight: float = 0.0
    claims_weight: float = 0.0
    summaries_weight: float = 0.0
    temporal_weight: float = 0.0
    modality_weight: float = 0.0
    follow_limit: int = 40
    graph_seed_count: int = 10
    graph_hops: int = 2
    graph_frontier_count: int = 80
    activation_rounds: int = 3
    activation_spread: float = 0.8
    activation_decay: float = 0.5
    activation_inhibition: float = 0.15
    activation_inhibitor_count: int = 7
    activation_gain: float = 5.0
    activation_threshold: float = 0.5
    activation_in_count: int = 15
    activation_prior: float = 0.4
    temporal_half_life_days: float = 30.0
    temporal_read_count: int = 15
    reranker_count: int = 30
    reranker_max_tokens: int = 256
    reranker_budget_s: float = 1.0
    rare_term_max_records: int = 5
    rare_term_bonus: float = 1.0
    context_max_tokens: int = 900
    source_max_tokens: int = 450
    answer_max_sentences: int = 3
    excerpt_max_chars: int = 500
    max_refinement_rounds: int = 2
    doubt_weight: float = 0.0
    refinement_deadline_ms: float = 500.0
    refinement_feedback_count: int = 5
    refinement_term_count: int = 10
    query_runs_max_count: int = 2000
    query_runs_max_age_days: int = 180
    tuning_min_questions: int = 30
    egress_max_count: int = 50_000
    egress_max_age_days: int = 1095
    attach_timeout_s: float = 30.0
    link_delay_s: float = 2.0
    link_parallel_count: int = 4
    feed_interval_h: float = 24.0
    feed_arxiv_count: int = 100

    def __post_init__(self) -> None:
        if self.fusion not in FUSIONS:
            raise InvalidSettingError(f"There is no fusion '{self.fusion}'.", hint=f"Known: {', '.join(FUSIONS)}.")
        for setting in SETTINGS:
            value = getattr(self, setting.name)
            if not setting.low <= value <= setting.high:
                raise InvalidSettingError(
                    f"'{setting.name}' is {value}; it must lie between {setting.low:g} and {setting.high:g} {setting.unit}.",
                    hint=f"The default is {_default_of(setting.name)}.",
                )


# One row a line, so that the table can be read down its columns.
# ruff: noqa: E501
SETTINGS: tuple[Setting, ...] = (
    Setting("chunk_max_tokens", "wordpieces", 32, 254, "engine.md 0.2", "Longest chunk, so that the embedder sees all of it."),
    Setting("chunk_overlap_sentences", "sentences", 0, 3, "engine.md 0.2", "Sentences repeated from the chunk before, inside a section."),
    Setting("file_max_bytes", "bytes", 1024, 2**40, "A5 allows 25 MiB; papers with scans are larger", "Largest file taken in."),
    Setting("page_budget_s", "s", 1, 3600, "case R11", "Longest time for one page before its worker is stopped."),
    Setting("file_budget_s", "s", 1, 86400, "case R11", "Longest time for each 32 MiB of a file."),
    Setting("worker_memory_bytes", "bytes", 2**28, 2**40, "case R11", "Address space of a worker."),
    Setting("ingest_batch_pages", "pages", 1, 1000, "desktop.md: askable within 5 s", "Pages per commit."),
    Setting("embed_batch_count", "records", 1, 512, "stack.md A1: batch 32", "Records embedded per step of the backlog."),
    Setting("bm25_k1", "unitless", 0, 5, "engine.md A8.2", "How fast repeated words stop counting."),
    Setting("bm25_b", "unitless", 0, 1, "engine.md A8.2", "How much long records are held back."),
    Setting("lexical_limit", "records", 1, 10000, "engine.md A8.2", "Candidates of the lexical route."),
    Setting("semantic_limit", "records", 1, 10000, "engine.md A8.3", "Candidates of the semantic route."),
    Setting("candidate_limit", "records", 1, 100, "house.md 1: at most 100 hydrated", "Candidates read from the log."),
    Setting("hit_limit", "records", 1, 100, "engine.md A10", "Hits returned by a search."),
    Setting("answer_beside_records", "records", 0, 16, "pages stand between chunks", "How far on in its source the rest of a sentence is looked for that a border cut; 0: nowhere."),
    Setting("answer_hit_limit", "records", 1, 100, "24 own questions: 16, 19, 19 right for 16, 30, 48; dev unchanged", "Hits whose sentences may answer a question."),
    Setting("rrf_k", "ranks", 1, 1000, "engine.md A9.5", "Rank offset of reciprocal rank fusion."),
    Setting("lexical_weight", "unitless", 0, 1, "benchmark.md, ranking (all suites)", "Share of the lexical route in fusion."),
    Setting("semantic_weight", "unitless", 0, 1, "benchmark.md, ranking (all suites)", "Share of the semantic route in fusion."),
    Setting("feedback_weight", "unitless", 0, 2, "benchmark.md, ranking (nfcorpus)", "How far a question's meaning is moved towards the best documents; 0 moves nothing."),
    Setting("feedback_count", "records", 1, 20, "benchmark.md, ranking (nfcorpus)", "Documents a question's meaning is moved towards."),
    Setting("document_neighbour_weight", "unitless", 0, 2, "benchmark.md, ranking (papers)", "Score a passage gets from the better of its neighbours."),
    Setting("turn_neighbour_weight", "unitless", 0, 2, "benchmark.md, ranking (locomo)", "Score a turn of a conversation gets from the better of its neighbours."),
    Setting("mention_weight", "unitless", 0, 2, "benchmark.md, ranking (multihop)", "Score a source gets from a good passage that names its title."),
    Setting("mention_seed_count", "records", 1, 20, "benchmark.md, ranking (multihop)", "Best passages in which titles of other sources are looked for."),
    Setting("coverage_weight", "unitless", 0, 2, "benchmark.md, ranking", "Score for the share of the question's words that a passage holds, by rarity."),
    Setting("exchange_weight", "unitless", 0, 2, "benchmark.md, ranking (locomo)", "Score for the share that a turn and the turn before it hold together."),
    Setting("turn_context_weight", "unitless", 0, 1, "benchmark.md, the third stage (locomo)", "Share with which the turns beside a turn speak for its meaning; 0 reads it alone."),
    Setting("session_weight", "unitless", 0, 2, "benchmark.md, the third stage (locomo)", "Score a turn gets from the best turn of its conversation."),
    Setting("place_weight", "unitless", 0, 2, "benchmark.md, the third stage (papers)", "Score of what stands on the page, or is the figure or table, that a question names."),
    Setting("diversity_weight", "unitless", 0, 2, "benchmark.md, diversity", "Score that a full likeness to a hit before it costs the next; 0 lets repetitions stand."),
    Setting("speaker_weight", "unitless", 0, 2, "benchmark.md, ranking (locomo)", "Score of a turn by the person asked about; as much is taken where somebody else speaks."),
    Setting("assistant_weight", "unitless", 0, 2, "benchmark.md, ranking (beam)", "Score taken from what an assistant wrote, unless its words are asked for."),
    Setting("time_weight", "unitless", 0, 2, "benchmark.md, ranking (locomo)", "Score of a turn that names another day, for a question about a time."),
    Setting("asking_weight", "unitless", 0, 2, "benchmark.md, ranking (locomo)", "Score taken from a turn that only asks."),
    Setting("graph_weight", "unitless", 0, 2, "benchmark.md, routes", "Score of a record that a walk over the record graph reaches; 0 is off."),
    Setting("activation_weight", "unitless", 0, 2, "benchmark.md, routes; the article's 0.5 : 0.3 : 0.2 is 1", "Score of a record that spreading activation makes active; 0 is off."),
    Setting("claims_weight", "unitless", 0, 2, "benchmark.md, routes", "Score of the evidence of facts about what a question names; 0 is off."),
    Setting("summaries_weight", "unitless", 0, 2, "benchmark.md, routes", "Score of the records of a source, chat or concept whose summary fits; 0 is off."),
    Setting("temporal_weight", "unitless", 0, 2, "benchmark.md, routes", "Score of a record near the time a question names; 0 is off."),
    Setting("modality_weight", "unitless", 0, 2, "benchmark.md, routes; engine.md A9.3 has 0.12", "Score of a table, code, picture or message where a question asks for one; 0 is off."),
    Setting("follow_limit", "records", 1, 100, "chosen: as many linked records come in", "Records that one of these routes proposes."),
    Setting("graph_seed_count", "records", 1, 100, "engine.md A9.3: 5 by words, 5 by meaning", "Best records that a walk, or activation, begins at."),
    Setting("graph_hops", "hops", 0, 4, "engine.md A9.4", "How far a walk goes; an entity between two records counts as one."),
    Setting("graph_frontier_count", "nodes", 1, 1000, "engine.md A9.4", "Nodes that a step goes on from, the strongest."),
    Setting("activation_rounds", "rounds", 1, 10, "engine.md B5: T", "Rounds that activation spreads."),
    Setting("activation_spread", "unitless", 0, 1, "engine.md B5: S", "Share of its activation that a node passes on."),
    Setting("activation_decay", "unitless", 0, 1, "engine.md B5: delta", "Share of its activation that a node loses in a round."),
    Setting("activation_inhibition", "unitless", 0, 1, "engine.md B5: beta", "How strongly the most active nodes hold the others down."),
    Setting("activation_inhibitor_count", "nodes", 0, 100, "engine.md B5: M", "Nodes that hold the others down."),
    Setting("activation_gain", "unitless", 0, 50, "engine.md B5: gamma", "Steepness of the sigmoid."),
    Setting("activation_threshold", "unitless", 0, 1, "engine.md B5: theta", "Where the sigmoid is at a half."),
    Setting("activation_in_count", "ties", 1, 1000, "engine.md B2: K", "Strongest ties into a node that count."),
    Setting("activation_prior", "unitless", 0, 1, "engine.md B4: 0.2 beside 0.3 of activation", "Share of the importance of what a record names."),
    Setting("temporal_half_life_days", "days", 1, 3650, "chosen: a month, as people name times", "Days away from the named time that halve the score."),
    Setting("temporal_read_count", "records", 0, 100, "chosen: 4 ms; finding dates takes 0.25 ms a record", "Best records whose words are read for days; of the others their own day counts."),
    Setting("reranker_count", "records", 0, 100, "chosen: as many as may answer a question", "Best records that a chosen cross-encoder puts in order; 0 is none."),
    Setting("reranker_max_tokens", "tokens", 32, 8192, "chosen: a question and the longest chunk", "Question and passage together, as far as a cross-encoder reads them."),
    Setting("reranker_budget_s", "s", 0.05, 60, "chosen: what a person still takes for at once", "Time a cross-encoder has for one question; what it did not read keeps its place."),
    Setting("rare_term_max_records", "records", 1, 1000, "engine.md 0.1 row 2", "A question's exact token in at most so many records is rare."),
    Setting("rare_term_bonus", "unitless", 0, 10, "engine.md 0.1 row 2", "Score added for holding the rare tokens of a question."),
    Setting("context_max_tokens", "tokens", 64, 200000, "benchmark.md: Synapse 814", "Evidence per answer."),
    Setting("source_max_tokens", "tokens", 64, 100000, "engine.md A10", "Evidence per source."),
    Setting("answer_max_sentences", "sentences", 1, 20, "benchmark.md: three best sentences hold .965", "Sentences of an answer without a model."),
    Setting("excerpt_max_chars", "characters", 50, 500, "cli.md", "Longest excerpt of a citation."),
    Setting("max_refinement_rounds", "rounds", 0, 2, "engine.md A9.8, A9.9", "Further looks for a question that would be refused although something near was found; 0 is off."),
    Setting("doubt_weight", "unitless", 0, 2, "benchmark.md, refusals: a model of 1.5 billion weights adds nothing sure", "Share with which a model on this machine, asked in doubt whether the passages answer, counts beside the measures; 0 asks none."),
    Setting("refinement_deadline_ms", "ms", 0, 10000, "chosen: three looks at 100,000 records", "Time in which a further look may begin; what was found by then stands."),
    Setting("refinement_feedback_count", "records", 1, 20, "engine.md A9.8", "Best records whose words a further look takes along."),
    Setting("refinement_term_count", "words", 0, 50, "benchmark.md, further looks; engine.md A9.8 has 4", "Words of the best records that a further look takes along."),
    Setting("query_runs_max_count", "runs", 10, 1000000, "engine.md 0.1 row 15", "Query runs kept."),
    Setting("query_runs_max_age_days", "days", 1, 36500, "engine.md 0.1 row 15", "Age at which query runs are dropped."),
    Setting("tuning_min_questions", "questions", 20, 10000, "benchmark.md, learned weights: the interval of fewer is too narrow", "Questions with a record that was right for them, before weights are learned."),
    Setting("egress_max_count", "requests", 100, 10000000, "chosen: 10 MB of rows", "Requests kept in the ledger."),
    Setting("egress_max_age_days", "days", 30, 36500, "chosen: three years", "Age at which requests are dropped."),
    Setting("link_delay_s", "s", 0, 60, "chosen; arXiv asks for 3 of its interface, most sites for 1", "Pause between two requests to one host when many pages are fetched."),
    Setting("link_parallel_count", "hosts", 1, 16, "chosen", "Hosts that are asked at a time when many pages are fetched."),
    Setting("feed_interval_h", "h", 1, 720, "chosen; most feeds and arXiv change once a day", "How long a followed feed is left alone while its vault is open."),
    Setting("feed_arxiv_count", "papers", 1, 2000, "chosen; arXiv sends at most 2,000 at a time", "Newest papers that a followed search at arXiv asks for."),
    Setting("attach_timeout_s", "s", 0, 600, "cli.md", "How long a second command waits for the owner."),
)  # fmt: skip


def _default_of(name: str) -> object:
    return next(field.default for field in structs.fields(Config) if field.name == name)
