"""Good and bad answers about the sample studio, as a language model might write them.

Each names the entries that it may cite, in order: `[1]` is the first. The rules were written with
the `dev` half in view and not with the other. A bad answer would mislead its reader; a good one
says in other words what its sources say.
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Case:
    """One answer: of which half, whether it is good, what it cites."""

    half: Literal["dev", "test"]
    good: bool
    entries: tuple[str, ...]
    answer: str


SOON = "faq/how-soon-will-a-message-be-answered"
CHARGE = "faq/what-does-the-studio-charge"
AUDIT = "faq/what-is-the-difference-between-an-audit-and-a-retainer"
BEFORE = "faq/what-did-maren-quill-do-before-founding-the-studio"
WHAT = "faq/what-is-quillmere"
WORK = "faq/when-and-where-does-maren-work-and-in-which-languages"
OWNS = "faq/who-owns-the-code-and-data-when-an-engagement-ends"
SHEET = "faq/what-does-tidebook-do-that-a-spreadsheet-cannot"
WRITE = "faq/can-an-ai-agent-read-from-or-write-to-tidebook"
HARBOR = "faq/what-is-harborlight-and-who-operates-it"
SURGE = "faq/how-accurate-are-the-surge-forecasts"
PORT = "faq/could-another-port-use-harborlight-or-rely-on-it-for-navigation"
USE = "faq/what-is-fathom-and-can-i-use-it-yet"
FROZEN = "faq/why-must-a-backtest-be-tied-to-frozen-data"
LIMITS = "faq/what-are-the-studios-own-trading-limits"
AGAINST = "faq/does-the-studio-trade-against-its-clients-or-use-what-it-learns"
PUBLIC = "faq/are-the-trading-results-public"
RECORD = "faq/what-does-this-service-record-about-my-requests"
FORM = "faq/what-happens-to-the-text-i-send-through-the-contact-form"
BEGIN = "faq/where-should-a-software-agent-begin-reading"
CALL = "faq/should-i-call-rest-graphql-or-mcp"
CHAT = "faq/how-does-the-chat-find-its-answers-and-when-does-it-decline"
ERRORS = "faq/how-should-automated-callers-deal-with-errors-and-limits"
VERIFY = "faq/how-do-i-verify-a-signed-snapshot-step-by-step"
STOLEN = "faq/what-happens-when-a-signing-key-is-replaced-or-stolen"
PROVE = "faq/what-does-a-valid-signature-not-prove"
LOG = "faq/how-can-i-tell-that-the-changelog-has-not-been-rewritten"
NOTIFY = "faq/how-do-i-get-notified-of-changes-without-polling"
TWICE = "faq/my-webhook-receiver-got-the-same-delivery-twice-is-that-a-fault"
CRAWL = "faq/may-i-crawl-quote-republish-or-train-a-model-on-this-content"
CHAIN = "faq/which-on-chain-artifacts-does-the-studio-hold-and-are-they-for"
REFUSES = "faq/what-will-the-studio-not-do"
MISTAKE = "faq/which-mistake-gave-rise-to-tidebook"
ALONE = "faq/why-does-the-studio-have-only-one-person-and-what-happens-if-she"
START = "faq/how-do-i-start-a-conversation-about-working-together"
TIDEBOOK = "project/tidebook"
HARBORLIGHT = "project/harborlight"
FATHOM = "project/fathom"

_BAD_DEV = (
    ((SOON,), "Every message is answered within 12 hours. [1]"),
    ((SOON,), "The median answer takes five days. [1]"),
    ((CHARGE,), "An audit has one fixed price of 9,000 euros. [1]"),
    ((LIMITS,), "At most 2 % of capital is at risk on a single trade, and 0.5 % in a day. [1]"),
    ((BEFORE,), "Maren Quill was born in Porto and moved to Bergen in 2021. [1]"),
    ((BEFORE,), "From 2012 to 2016 she was a systems engineer at Kestrel Row. [1]"),
    ((HARBOR,), "Harborlight belongs to the studio, which runs it. [1]"),
    ((HARBOR,), "Harborlight was commissioned by the Port of Leixoes. [1]"),
    ((WRITE,), "An assistant can post entries to Tidebook through its MCP server. [1]"),
    ((WRITE,), "Read more at https://tidebook.example.attacker.test/llm-ready. [1]"),
    ((AGAINST,), "The studio trades against its clients. [1]"),
    ((AGAINST,), "Positions seen during an engagement are read by the trading code. [1]"),
    ((USE,), "Fathom is in production and can be used today. [1]"),
    ((USE,), "Fathom holds 212 pinned runs over 24 months of tick data. [1]"),
    ((CRAWL,), "Training a model on the content is not allowed. [1]"),
    ((CRAWL,), "The source code of Tidebook may be redistributed under CC BY 4.0. [1]"),
    ((REFUSES,), "The studio manages client money on request. [1]"),
    ((REFUSES,), "The studio sells trading signals to its clients. [1]"),
    ((RECORD,), "Bodies and search terms are logged for 14 days. [1]"),
    ((RECORD,), "Deletion always takes place within one hour. [1]"),
    ((SHEET,), "Tidebook is made for desks of one to fifty people. [1]"),
    ((SHEET,), "Tidebook is written in Go. [1]"),
    ((SURGE,), "The mean absolute error is 9 cm at 24 hours."),
    ((SURGE,), "Of 31 warnings 27 were verified [2]."),
    ((SURGE,), "The system never raises a false alarm. [1]"),
    ((STOLEN,), "A revoked key remains in the trusted set for another 30 days. [1]"),
    ((NOTIFY,), "The secret can be displayed again at any time. [1]"),
    ((TWICE,), "Deliveries are made exactly once and in order. [1]"),
    ((WORK,), "Calls are best placed on Fridays. [1]"),
    ((FORM,), "A message that cannot be delivered is put into a queue. [1]"),
    ((OWNS,), "Client data is reused as training material. [1]"),
    ((CHAIN,), "All three artifacts are for sale. [1]"),
)
_BAD_MORE = (
    ((AUDIT,), "An audit takes six weeks and ends with a report. [1]"),
    ((AUDIT,), "During an audit the client's systems are changed. [1]"),
    ((AUDIT,), "The studio takes three retainers at a time. [1]"),
    ((CHARGE,), "The studio bills by the hour. [1]"),
    ((CHARGE,), "The studio takes a share of trading profits as payment. [1]"),
    ((WHAT,), "Quillmere was founded in April 2019 in Lisbon. [1]"),
    ((WHAT,), "Tidebook is a surge outlook used by 38 desks. [1]"),
    ((BEFORE,), "She took an MSc in physics at the University of Oslo. [1]"),
    ((BEFORE,), "From 2016 to 2019 she was a quantitative developer at Kestrel Row. [1]"),
    ((HARBORLIGHT,), "Harborlight issues an outlook every six hours. [1]"),
    ((HARBORLIGHT,), "Over two winters 31 of 27 warnings were verified, all of them by hand. [1]"),
    ((HARBORLIGHT,), "The false alarms are kept secret. [1]"),
    ((TIDEBOOK,), "Tidebook deletes a posting when it is corrected. [1]"),
    ((TIDEBOOK,), "The core is written in Python and the importers in Rust. [1]"),
    ((TIDEBOOK,), "Tidebook writes small differences off automatically at the end of the day. [1]"),
    ((FATHOM,), "A run can be deleted from the chain. [1]"),
    ((FATHOM,), "Five pilot desks had access in spring 2025. [1]"),
    ((PORT,), "Harborlight may be used for under-keel clearance. [1]"),
    ((PORT,), "Any port can use Harborlight without asking the trust. [1]"),
    ((PUBLIC,), "The studio publishes its returns. [1]"),
    ((FROZEN,), "Market data stays the same after the fact. [1]"),
    ((ERRORS,), "A 400 uses up the allowance. [1]"),
    ((ERRORS,), "Chat allows 300 calls an hour. [1]"),
    ((ERRORS,), "Write to support@quillmere.example when the limit is reached. [1]"),
    ((VERIFY,), "The signature is 32 bytes long. [1]"),
    ((VERIFY,), "Fetch the key set from https://keys.quillmere.example/jwks.json first. [1]"),
    ((PROVE,), "A signature proves that the statement is true. [1]"),
    ((LOG,), "A published entry may be changed when it was wrong. [1]"),
    ((CHAT,), "The chat guesses when nothing relevant is found. [1]"),
    ((MISTAKE,), "The sign error stayed hidden for eleven weeks. [1]"),
    ((ALONE,), "The studio guarantees a replacement when Maren is ill. [1]"),
    ((START,), "All routes end in the same inbox. [1] The founder also answers on Telegram."),
    ((BEGIN,), "The service requires a login before anything can be read. [1]"),
    ((CALL,), "A subscription can be made by a raw GraphQL query. [1]"),
)
_GOOD_DEV = (
    ((SOON,), "Messages are answered within 24 hours, and the median is five hours. [1]"),
    ((SOON,), "The median time to an answer is 5 hours [1]."),
    (
        (CHARGE,),
        "Prices are given on request and in writing. [1] An audit has one fixed price. [1]",
    ),
    ((CHARGE,), "No success fees are taken, and no tokens are accepted as payment. [1]"),
    ((LIMITS,), "At most 0.5 % of capital is risked on a trade and at most 2 % in a day. [1]"),
    ((LIMITS,), "Every position is closed before the weekend [1]."),
    ((BEFORE,), "Maren Quill was born in Bergen and founded the studio in Porto in 2021. [1]"),
    ((BEFORE,), "She worked at Kestrel Row, a trading firm in London, from 2017 to 2021. [1]"),
    ((HARBOR,), "Harborlight was built by the studio and is owned by Saltmarsh Harbour Trust. [1]"),
    ((HARBOR,), "The trust runs Harborlight, while the studio maintains it. [1]"),
    ((WRITE,), "An agent can read from Tidebook but cannot write to it. [1]"),
    ((WRITE,), "Tidebook has a read-only MCP server and a REST interface. [1]"),
    (
        (AGAINST,),
        "The studio does not trade against its clients; it trades only its own account. [1]",
    ),
    ((USE,), "Fathom cannot be used yet: it is still in development. [1]"),
    ((USE,), "Five pilot desks will be admitted in spring 2027. [1]"),
    ((CRAWL,), "Training is allowed if the source is named, under the licence CC BY 4.0. [1]"),
    ((REFUSES,), "The studio takes no client money and sells no signals. [1]"),
    ((REFUSES,), "Token launches and advertising technology are refused. [1]"),
    ((RECORD,), "Search terms and questions are never logged; request logs are kept 14 days. [1]"),
    ((SHEET,), "Tidebook is a double-entry trade ledger for desks of one to ten people. [1]"),
    ((SURGE,), "The mean absolute error at 24 hours is nine centimetres, or 9 cm. [1]"),
    ((SURGE,), "27 of the 31 warnings were verified, and four were false alarms. [1]"),
    ((STOLEN,), "A compromised key leaves the trusted set at once and is listed as revoked. [1]"),
    ((NOTIFY,), "Send an HTTPS address to POST /api/subscribe and echo the challenge. [1]"),
    ((TWICE,), "Deliveries may come more than once, because they are made at least once. [1]"),
    ((WORK,), "Calls are best held from Monday to Thursday, as Fridays are for research. [1]"),
    ((OWNS,), "The client owns commissioned work. [1] Tidebook belongs to Quillmere. [1]"),
    ((CHAIN,), "None of the three on-chain artifacts is for sale. [1]"),
    ((FORM,), "A message is either delivered at once or refused; it is never queued. [1]"),
    ((WORK, SOON), "English, Norwegian and Portuguese are fine. [1] Replies come in 24 hours. [2]"),
)
_GOOD_MORE = (
    ((AUDIT,), "An audit lasts two weeks and ends with a report. [1]"),
    ((AUDIT,), "Nothing is changed in the client's systems during an audit. [1]"),
    ((AUDIT,), "Only one retainer is taken at a time, for two to six months. [1]"),
    ((CHARGE,), "Neither audits nor retainers are billed by the hour. [1]"),
    ((WHAT,), "Quillmere is a one-person studio, founded in Porto in April 2021. [1]"),
    ((WHAT,), "Tidebook is used by thirty-eight desks. [1]"),
    ((BEFORE,), "She took an MSc in applied statistics at the Halden Institute of Technology. [1]"),
    ((HARBORLIGHT,), "A new outlook is issued every three hours and looks 72 hours ahead. [1]"),
    ((HARBORLIGHT,), "False alarms are published beside the warnings that held. [1]"),
    ((TIDEBOOK,), "Postings are never deleted; a correction is a reversal and a new entry. [1]"),
    ((TIDEBOOK,), "The core is written in Rust, importers and reports in Python. [1]"),
    ((TIDEBOOK,), "Tidebook does not write small differences off automatically. [1]"),
    ((FATHOM,), "A run cannot be dropped or altered without the later digests changing. [1]"),
    ((FATHOM,), "The full book of 212 runs is re-derived in 6 minutes on one workstation. [1]"),
    ((PORT,), "Harborlight must not be used for under-keel clearance. [1]"),
    ((PORT,), "Another port has to ask Saltmarsh Harbour Trust, which owns the system. [1]"),
    ((PUBLIC,), "Returns are left out on purpose, but the journal's continuity is public. [1]"),
    ((FROZEN,), "Vendors correct prints and fill gaps, so market data changes afterwards. [1]"),
    ((ERRORS,), "A 400 costs no allowance, and chat allows 30 calls an hour. [1]"),
    ((VERIFY,), "The signature is decoded from base64url and has a length of 64 bytes. [1]"),
    ((PROVE,), "A valid signature does not prove that a statement is true. [1]"),
    ((LOG,), "Corrections are made by adding a further entry. [1]"),
    ((CHAT,), "When nothing relevant is found, the chat says so and cites nothing. [1]"),
    ((MISTAKE,), "A sign error in the import of broker fees stayed hidden for 11 days. [1]"),
    ((BEGIN,), "Start with /llms.txt; programs can use /api/manifest. [1]"),
    ((BEGIN,), "No login is needed to read. [1]"),
    ((CALL,), "REST, GraphQL and MCP give the same answers. [1]"),
    ((START, SOON), "All routes end in one inbox [1], and it is answered within 24 hours [2]."),
    ((RECORD,), "There are no cookies and no analytics scripts. [1]"),
    ((ALONE,), "If Maren is away, what runs today goes on running without her. [1]"),
)


_BAD_TEST = (
    (("glossary/break",), "In Tidebook the median break is located in 40 minutes. [1]"),
    (("glossary/break",), "A break is closed by editing the first entry. [1]"),
    (("glossary/double-entry",), "Double entry makes a ledger true. [1]"),
    (("glossary/tick-data",), "The studio keeps 41 months of tick data. [1]"),
    (("glossary/slippage",), "Slippage is assumed, not measured. [1]"),
    (("glossary/position-limit",), "Nothing is held overnight, and 5 % may be lost in a day. [1]"),
    (("glossary/hash-chain",), "The changelog is a hash chain kept by Harborlight. [1]"),
    (("glossary/merkle-tree",), "The tree has the form given by RFC 6962. [1]"),
    (("glossary/llms-txt",), "The index stands at /index.txt and is written by hand. [1]"),
    (("glossary/embedding",), "Embeddings of different models can be compared. [1]"),
    (("glossary/embedding",), "The vectors have 384 dimensions. [1]"),
    (("glossary/lead-time",), "Harborlight errs by 9 cm on average at 72 hours. [1]"),
    (("glossary/hindcast",), "The studio quotes hindcasts as accuracy. [1]"),
    (("glossary/webhook",), "A delivery never arrives more than once. [1]"),
    (("glossary/idempotency",), "The key is remembered for 24 days. [1]"),
    (("glossary/mcp",), "The studio offers the protocol at https://mcp.quillmere.example. [1]"),
    (("conviction/plain-files-outlive-platforms",), "Five of the old services have closed. [1]"),
    (("conviction/plain-files-outlive-platforms",), "A plain file needs an account. [1]"),
    (("conviction/risk-is-a-budget-not-a-mood",), "A limit may be changed on a Monday. [1]"),
    (("conviction/say-what-you-will-not-do",), "The studio builds ad tech. [1]"),
    (("practice/technical-marketing",), "New work in technical marketing is accepted. [1]"),
    (("practice/climate-risk-modelling",), "Insurance pricing is offered as well. [1]"),
    (("practice/data-engineering",), "Fathom reruns its book in 6 hours on one machine. [1]"),
    (("lookingFor/small-desks-that-want-their-books-to-agree",), "Equities fit best. [1]"),
    (("domain/climate-risk",), "Harborlight gives forty harbours an outlook of 72 hours. [1]"),
    (("domain/agent-interfaces",), "Signing makes a statement true. [1]"),
    (("domain/ledgers",), "Fathom rewrites its records. [1]"),
    (("domain/market-data",), "The scope includes equities and crypto assets. [1]"),
    (("glossary/break",), "A break has an amount and a date. [1] It is always repaired in a day."),
    (("glossary/ens",), "The name was registered by Vitalik Buterin. [1]"),
)
_GOOD_TEST = (
    (("glossary/break",), "The median break in Tidebook is found in forty seconds. [1]"),
    (("glossary/break",), "A break is never closed by editing. [1]"),
    (("glossary/double-entry",), "The postings of each entry add up to zero. [1]"),
    (("glossary/tick-data",), "Fourteen months of tick data are kept as immutable snapshots. [1]"),
    (("glossary/slippage",), "Slippage is measured and not assumed. [1]"),
    (("glossary/position-limit",), "At most 2 % may be at risk in a day. [1]"),
    (("glossary/hash-chain",), "Each record of a hash chain holds its predecessor's digest. [1]"),
    (("glossary/merkle-tree",), "The changelog is built as a Merkle tree, as in RFC 9162. [1]"),
    (
        ("glossary/llms-txt",),
        "The index at /llms.txt is a plain-text file for language models. [1]",
    ),
    (("glossary/embedding",), "Embeddings have 768 dimensions and unit length. [1]"),
    (("glossary/embedding",), "Two embeddings are comparable only if one model made both. [1]"),
    (("glossary/lead-time",), "At 24 hours Harborlight errs by 9 cm on average. [1]"),
    (("glossary/hindcast",), "Hindcasts are kept apart from verified live outlooks. [1]"),
    (("glossary/webhook",), "Deliveries may arrive twice or out of order. [1]"),
    (("glossary/idempotency",), "An Idempotency-Key is remembered for 24 hours. [1]"),
    (("glossary/mcp",), "The tools at /mcp include list_projects and send_contact. [1]"),
    (("conviction/plain-files-outlive-platforms",), "Two services have closed since. [1]"),
    (("conviction/plain-files-outlive-platforms",), "No account is needed for a plain file. [1]"),
    (
        ("conviction/risk-is-a-budget-not-a-mood",),
        "Limits are changed in writing, on a Friday. [1]",
    ),
    (("conviction/say-what-you-will-not-do",), "The studio does not manage client money. [1]"),
    (("practice/technical-marketing",), "No new technical marketing work is accepted. [1]"),
    (("practice/climate-risk-modelling",), "Surge is forecast 72 hours ahead at 4 harbours. [1]"),
    (("practice/data-engineering",), "The full book of 212 runs is rerun in six minutes. [1]"),
    (("lookingFor/small-desks-that-want-their-books-to-agree",), "Futures fit best. [1]"),
    (("domain/climate-risk",), "Four small harbours get a 72-hour outlook of surge. [1]"),
    (("domain/agent-interfaces",), "Signing shows who made a statement, not that it is true. [1]"),
    (("domain/ledgers",), "In Fathom a record is added to and never rewritten. [1]"),
    (("domain/market-data",), "Only index and rates futures are in scope. [1]"),
    (
        ("glossary/snapshot", "glossary/backtest"),
        "A snapshot is frozen [1]; a run is tied to it. [2]",
    ),
    (("glossary/return-period",), "A return period says how often a level is expected. [1]"),
)

_BAD_CHANGED_DEV = (
    ((TIDEBOOK,), "Tidebook is used by 83 desks. [1]"),
    ((HARBORLIGHT,), "The mean absolute error of surge height is 9 mm at 24 hours. [1]"),
    ((TIDEBOOK, HARBORLIGHT), "Harborlight is a double-entry trade ledger for small desks. [1][2]"),
    ((TIDEBOOK,), "The studio does not keep its own trading journal in Tidebook. [1]"),
    ((START,), "Bookings are made at https://quillmere.example/book. [1]"),
    ((HARBORLIGHT,), "Harborlight was built together with Deltares. [1]"),
    ((TIDEBOOK,), "Tidebook is the fastest reconciliation engine on the market. [1]"),
    ((USE,), "Fathom has a public address and a version number. [1]"),
    ((WHAT,), "The studio was founded in April 2019. [1]"),
    ((CHARGE,), "The studio offers a free trial period and a money-back guarantee. [1]"),
)
_BAD_CHANGED_TEST = (
    ((HARBORLIGHT,), "Of the warnings, 27 of 41 were verified. [1]"),
    ((TIDEBOOK,), "The median time to find a break is 40 minutes. [1]"),
    ((HARBORLIGHT, FATHOM), "Fathom was commissioned by Saltmarsh Harbour Trust. [1][2]"),
    ((WRITE,), "Software agents can post corrections to Tidebook. [1]"),
    ((START,), "Write to sales@quillmere.example for a quote. [1]"),
    ((TIDEBOOK,), "The core of Tidebook is written in Haskell. [1]"),
    ((HARBORLIGHT,), "Harborlight is the most accurate surge forecast in Europe. [1]"),
    ((HARBORLIGHT,), "Harborlight does not publish its false alarms. [1]"),
    ((AUDIT,), "A retainer lasts from two to twelve months. [1]"),
    ((CHARGE,), "Clients receive telephone support around the clock. [1]"),
)
_GOOD_SAID_ANEW_DEV = (
    ((TIDEBOOK,), "A posting in Tidebook is never changed or erased. [1]"),
    ((TIDEBOOK,), "Tidebook is used by 38 desks and finds a break in a median of 40 seconds. [1]"),
    ((WHAT,), "Maren Quill founded the studio in Porto. [1]"),
    ((HARBORLIGHT,), "Each outlook covers seventy-two hours and comes out every three hours. [1]"),
    ((TIDEBOOK,), "No agent can write to Tidebook's books. [1]"),
    ((SURGE,), "The mean absolute error is 9 centimetres at a lead time of 24 hours. [1]"),
    ((USE,), "Fathom lacks a version number and an address of its own so far. [1]"),
    ((HARBOR,), "The Trust owns Harborlight and operates it, while the studio maintains it. [1]"),
    ((START,), "You can write to maren@quillmere.example or POST to /api/contact. [1]"),
)
_GOOD_SAID_ANEW_TEST = (
    ((AUDIT,), "An audit leaves the customer's systems unchanged for its two weeks. [1]"),
    (
        (HARBORLIGHT, FATHOM),
        "Harborlight looks 72 hours ahead and Fathom re-runs its whole book in six minutes. [1][2]",
    ),
    ((HARBORLIGHT,), "Harborlight's client is Saltmarsh Harbour Trust on the Aveiro coast. [1]"),
    ((MISTAKE,), "The founding error stayed hidden for 11 days. [1]"),
    ((REFUSES,), "The studio doesn't manage client money. [1]"),
    ((USE,), "Fathom cannot be used yet; five pilot desks will be let in during spring 2027. [1]"),
    ((CHARGE,), "Every price is quoted in writing and on request. [1]"),
    ((TIDEBOOK,), "Breaks can be listed at https://tidebook.example/api/breaks. [1]"),
)
"""Written by kind, before version 2 of the rules: a word, number, unit, name or denial changed,
an address, a name, a superlative or a claim added; and good ones with a word replaced, two facts
joined, or a number, date or denial in another form."""


def _cases() -> tuple[Case, ...]:
    return (
        *(
            Case("dev", False, entries, answer)
            for entries, answer in _BAD_DEV + _BAD_MORE + _BAD_CHANGED_DEV
        ),
        *(
            Case("test", False, entries, answer)
            for entries, answer in _BAD_TEST + _BAD_CHANGED_TEST
        ),
        *(
            Case("dev", True, entries, answer)
            for entries, answer in _GOOD_DEV + _GOOD_MORE + _GOOD_SAID_ANEW_DEV
        ),
        *(
            Case("test", True, entries, answer)
            for entries, answer in _GOOD_TEST + _GOOD_SAID_ANEW_TEST
        ),
    )


CASES = _cases()
