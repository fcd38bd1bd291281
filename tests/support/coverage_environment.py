"""Of which processes that tests start the coverage is measured.

Tracing takes the start of a server from 2.4 to 4.4 s of CPU. Those of the files named here run the
same lines as tests of the parts, and as the servers of the files beside them, only more often.
"""

import os
from pathlib import Path

from repository import ROOT

REPEATED = {
    ROOT / "tests" / f"{name}.py"
    for name in (
        "long/faults/test_ledger_kills",
        "long/faults/test_mail_kills",
        "long/test_fuzz",
        "long/test_generated_parity",
        "long/test_graphql_bombs",
        "long/test_graphql_generated",
        "long/test_openapi_cases",
        "long/test_proof_mutations",
        "long/test_proven_questions",
        "servers/test_answer_determinism",
        "servers/test_ask_loading",
        "servers/test_ask_stream",
        "servers/test_canaries",
        "servers/test_chat_limits",
        "servers/test_code_in_texts",
        "servers/test_contact_limits",
        "servers/test_deceived_verifiers",
        "servers/test_denied_connections",
        "servers/test_discovery",
        "servers/test_envelope_http",
        "servers/test_envelopes",
        "servers/test_every_limit",
        "servers/test_feeds",
        "servers/test_full_output",
        "servers/test_imports",
        "servers/test_injected_content",
        "servers/test_injected_questions",
        "servers/test_intent_requests",
        "servers/test_intent_warnings",
        "servers/test_key_sets",
        "servers/test_keystore_races",
        "servers/test_lazy_imports",
        "servers/test_log_history",
        "servers/test_mcp_clients",
        "servers/test_mcp_listening",
        "servers/test_mcp_new_section",
        "servers/test_minilm",
        "servers/test_new_section_answers",
        "servers/test_odd_questions",
        "servers/test_policy",
        "servers/test_rate_limit_settings",
        "servers/test_rate_limits",
        "servers/test_reverse_proxies",
        "servers/test_saved_envelopes",
        "servers/test_slow_clients",
        "servers/test_surface_parity",
        "servers/test_three_losses",
        "servers/test_verifiers",
        "servers/test_verify",
        "servers/test_verify_deceived",
        "servers/test_verify_memory",
        "servers/test_verify_saved",
        "servers/test_verify_words",
    )
}
"""The files of tests whose processes are not measured."""

_NAMES = "COVERAGE_PROCESS"
_taken: dict[str, str] = {}


def choose_measured(file: Path) -> None:
    """Have the processes that a test of this file starts measured, or not."""
    if file in REPEATED:
        _taken.update({name: os.environ.pop(name) for name in _names()})
    else:
        os.environ.update(_taken)


def unmeasured() -> dict[str, str]:
    """Return this process's environment without what has coverage measure a new process.

    For a process that ends by SIGKILL, and so writes no result.
    """
    return {name: value for name, value in os.environ.items() if name not in _names()}


def _names() -> list[str]:
    return [name for name in os.environ if name.startswith(_NAMES)]
