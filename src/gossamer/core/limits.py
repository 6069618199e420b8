"""Every bound that protects us: value, unit in the name, reason, source. What users set is a setting, not a limit."""

from typing import Final

# --- URLs -------------------------------------------------------------------------------------------------------
URL_LENGTH_MAX: Final = 2048
"""Characters of a URL; longer ones are traps more often than pages (Heritrix and Nutch cut near here)."""
REDIRECT_HOPS_MAX: Final = 10
"""Redirects followed for one URL before it ends as failed; curl and browsers stop at 20 to 50, archives at 10."""
ALIAS_SAMPLES_MIN: Final = 5
"""Pairs of equal pages, each with a body of its own, before a host's alias rule is in force. One wrong pair ends it."""
ALIAS_PARAMETER_SAMPLES_MIN: Final = 10
"""The same for a useless parameter: a parameter that matters now and then is more common than a slash that does."""
ALIAS_CHECKED_ONE_IN: Final = 16
"""Of the URLs that a rule would leave alone one in so many is fetched: 6 % more requests than none, and an error that
concerns 1 % of them is found with 95 % certainty within 4,800."""
ALIAS_RULES_MAX: Final = 32
"""Rules watched on one host, parameters included: its state is read and written with every commit that it is in."""
ALIAS_PARAMETERS_MAX: Final = 8
"""Parameters of one URL that are tried without; longer queries are forms, whose parameters choose."""
ALIAS_SPELLINGS_MAX: Final = 32
"""Spellings of one URL that are looked up: four rules of two spellings and a parameter have as many."""
ALIAS_RELEASED_AT_ONCE: Final = 1000
"""URLs queued in one step when a rule has erred; the rest follow with the host's next visits."""
URL_PARSED_LENGTH_MAX: Final = 16 * 1024
"""Characters of a reference or a base that are parsed at all: a base of a megabyte under 20,000 links is a bomb."""
SITES_CACHED_MAX: Final = 100_000
"""Hosts whose site is remembered; a look-up costs ten times a hit. About 20 MB."""
SITE_IDS_KEPT: Final = 65_536
"""Sites whose id is remembered; beyond it all are hashed anew. About 9 MB."""
HOST_VERDICTS_MAX: Final = 100_000
"""Hosts whose scope verdict is remembered; beyond it all are decided anew. About 20 MB."""
URL_VERDICTS_MAX: Final = 50_000
"""URLs whose verdict is remembered from page to page; beyond it all are decided anew. About 10 MB."""
PAGE_KEYS_KEPT: Final = 50_000
"""URLs of one generation whose page key is remembered, over all shards; two are kept, about 30 MB at most."""
PARAMETER_NAMES_CACHED: Final = 4096
"""Names of query parameters whose fate is remembered: a site has dozens. About 0.5 MB."""
RECENT_KEYS_MAX: Final = 200_000
"""Page keys that a worker remembers as linked lately, over all its shards. About 25 MB."""
RECENT_KEYS_PER_HOST_MAX: Final = 1000
"""Of them of one host: the links of several pages, or of one very long one."""
NEWEST_PRINTS_MAX: Final = 1 << 18
"""Known URLs of a worker that are in no run yet, shared out among its shards. About 18 MB, twice while they are
written."""
NEWEST_PRINTS_PER_SHARD_MIN: Final = 4096
"""The least share of them: fewer would make very many small runs. About 0.3 MB a shard."""
SEEN_TOUCHED_BYTES_MAX: Final = 1 << 30
"""Files of URL seen of a worker that are brought into its address space ahead of need, shared out among its shards: 125
million URLs. Of longer ones each page is, when it is first asked, at some microseconds."""

# --- robots.txt -------------------------------------------------------------------------------------------------
ROBOTS_BYTES_MAX: Final = 500 * 1024
"""Bytes of a robots.txt that are read; RFC 9309 section 2.5 asks for at least 500 kibibytes."""
ROBOTS_AGE_MAX_SECONDS: Final = 24 * 3600
"""A copy older than this is fetched again before it is used; RFC 9309 section 2.4."""
ROBOTS_REDIRECTS_MAX: Final = 5
"""RFC 9309 section 2.3.1.2: follow at least five, then treat the file as unavailable."""
ROBOTS_COPY_AGE_MAX_SECONDS: Final = 30 * 24 * 3600
"""How long the last good copy goes on ruling while the file is unreachable; RFC 9309 section 2.3.1.4 names 30 days."""
ROBOTS_UNREACHABLE_AGE_SECONDS: Final = 60
"""How long "unreachable" is believed at least: it keeps a whole authority from being crawled, and the host's back-off
makes the waits longer by itself."""
ROBOTS_AUTHORITIES_PER_HOST_MAX: Final = 64
"""robots.txt files kept in memory for one host: a host may have one on each of 65,535 ports, and few have three."""
ROBOTS_SITEMAPS_MAX: Final = 1_000
"""Sitemap lines taken from one file; the largest seen in 4,000 live files name a few hundred."""
ROBOTS_USAGE_LINES_MAX: Final = 200
"""Content-Signal and Content-Usage lines of one group that are read, each; real files have one to ten."""
ROBOTS_LINE_SHOWN_MAX: Final = 200
"""Characters of the deciding line that a verdict carries into reports."""
CRAWL_DELAY_MAX_SECONDS: Final = 60.0
"""A longer Crawl-delay is read as this; a host that asks for hours would never be finished."""

# --- preferences ------------------------------------------------------------------------------------------------
PREFERENCE_CHARACTERS_MAX: Final = 400
"""Characters of one statement that are kept: a dictionary of a dozen labels, or a URL."""
TDM_FILE_BYTES_MAX: Final = 64 * 1024
"""Bytes of a tdmrep.json that are read and kept with the robots.txt; a longer one states nothing."""
TDM_RULES_MAX: Final = 1_000
"""Rules of a tdmrep.json that are tried in turn for each URL."""

# --- politeness -------------------------------------------------------------------------------------------------
GAP_RESPONSE_MULTIPLE: Final = 5.0
"""The gap is at least this many times the median response time (Heritrix's delay factor)."""
GAP_RESPONSE_MAX_SECONDS: Final = 30.0
"""Cap of the response-time multiple (Heritrix's maximum delay)."""
RESPONSE_TIMES_KEPT: Final = 10
"""Response times remembered for the median."""
GAP_PUBLIC_MIN_SECONDS: Final = 1.0
"""A smaller gap is only for hosts of one's own (architecture, section 8): one request a second is what sites bear."""
PAGES_WITHOUT_CONTACT_MAX: Final = 1_000
"""Pages of public hosts fetched by a crawler that names nobody to write to (architecture, section 8)."""
RETRY_AFTER_MAX_SECONDS: Final = 24 * 3600.0
"""A longer Retry-After (RFC 9110 section 10.2.3) is read as this, so that a typing error does not end a host."""
BACKOFF_FIRST_SECONDS: Final = 5.0
"""Wait after a host's first failure; doubled with each further one in a row."""
SLOW_HOST_SECONDS: Final = 10.0
"""A host whose answers take longer is a slow one: a hundred times the usual tenth of a second, and long before any
time-out ends the fetch."""
SLOW_SHARE: Final = 0.25
"""Share of a worker's fetch slots that slow hosts hold together at most: what is left still fills a worker, and a
quarter keeps hundreds of slow hosts moving."""
NAME_FAILURES_PARKED: Final = 2
"""Look-ups in a row that say a name does not exist, after which its host is parked: the second one, a minute later,
tells a name that is gone from one that a name server was just being told of."""
HOST_FAILURES_PARKED: Final = 5
"""Failures in a row that park a host: reached within minutes, so that a dead host costs five fetches."""
PARK_FIRST_SECONDS: Final = 15 * 60.0
"""First park time, doubled with each further failure: most outages are over by then."""
PARK_MAX_SECONDS: Final = 24 * 3600.0
"""Longest park time: a host back after a week is noticed within a day."""
ADDRESS_CONNECTIONS_MAX: Final = 8
"""Fetches at once to one address: it may serve thousands of hosts."""
ADDRESS_REQUESTS_PER_SECOND_MAX: Final = 20.0
"""Requests a second to one address, over all its hosts."""
ADDRESS_SITES_SHARED: Final = 100
"""An address that served more sites than this belongs to a provider built for it; its ceiling is lifted."""
ADDRESSES_KEPT_MAX: Final = 50_000
"""Addresses whose ceilings are remembered; beyond it the longest idle one is forgotten."""
HOST_CONNECTIONS_MAX: Final = 8
"""Leases of one host at once, for its owner: what an address bears, and well below HEAD_ENTRIES_MAX, so that a refill
always brings a URL that is not leased."""
CEILING_ASK_AGAIN_SECONDS: Final = 0.05
"""When to ask again where a fetch must end first; its end is unknown, and a twentieth of a second costs little."""
WORKER_FETCHES_MAX: Final = 1_000
"""Fetches at once in one worker: what one core can parse a second, at about a second a fetch."""

# --- frontier ---------------------------------------------------------------------------------------------------
HEAD_ENTRIES_MAX: Final = 16
"""Queue entries of one host and level held in memory; the rest stay in the store."""
LEVEL_PASSED_MAX: Final = 128
"""Leases of a host after which a level that had none, and has URLs, comes before all draws: the biased draw passes the
last of five full levels over so often once in 67 times, so the bias stays and nothing starves."""
IMPORTANCE_ENTRIES_MAX: Final = 10_000_000
"""Rows of an importance file: 100 MB of memory once read, a minute and a half of reading."""
URL_TRIES_MAX: Final = 3
"""Failures, while the host otherwise answers, after which a URL is recorded as failed."""

# --- budgets ----------------------------------------------------------------------------------------------------
SITE_STATES_CACHED_MAX: Final = 4096
"""Site states of one shard kept as objects between commits: those of the pages of a few seconds. About 3 MB."""
TIES_IN_STATE_MAX: Final = 64
"""Ties to other sites that stand in a site's state, 9 bytes each, before each gets a row: the pages of a host's first
visits have some twenty, and a state is written again with every commit that changes it."""
LINKING_SITES_MAX: Final = 10_000
"""Distinct linking sites counted of one site; one that so many link to is not held by any budget that grows with them,
and the rows behind the count stay bounded."""
BUDGET_LOOK_FIRST_SECONDS: Final = 60.0
"""From when a site goes over its budget to the first look at it; doubled with each look (BEAST doubles its queues)."""
BUDGET_LOOK_MAX_SECONDS: Final = 24 * 3600.0
"""Longest wait between two looks: what came to deserve more is noticed within a day."""
BUDGET_ASK_AGAIN_SECONDS: Final = 1.0
"""When to ask again where only leases that are out keep a host from having one."""
BUDGET_PAGES_JUDGED: Final = 20
"""Pages of a site from which its share of new content is judged; a first few copies say nothing."""
BUDGET_YIELD_GOOD: Final = 0.5
"""New bodies among a site's last pages from which it is given another allotment."""
BUDGET_YIELD_POOR: Final = 0.1
"""New bodies among a site's pages below which its budget shrinks: nine of ten fetches brought nothing."""
BUDGET_POOR_DIVISOR: Final = 4
"""By what it shrinks."""
LINKS_OF_SITES_CACHED_MAX: Final = 16_384
"""Links between sites known to be booked: a site's pages link to the same others again and again. About 2 MB a
shard."""

# --- fetching ---------------------------------------------------------------------------------------------------
CONNECT_SECONDS_MAX: Final = 10.0
"""From the first packet to an established (and, for https, verified) connection."""
FIRST_BYTE_SECONDS_MAX: Final = 20.0
"""From the request to the first byte of the answer."""
TOTAL_SECONDS_MAX: Final = 120.0
"""One exchange, from connect to last byte."""
LOW_SPEED_BYTES_PER_SECOND: Final = 500
"""A body slower than this over LOW_SPEED_SECONDS is cut: it would hold a fetch slot for hours."""
LOW_SPEED_SECONDS: Final = 20
HEADER_BYTES_MAX: Final = 256 * 1024
"""Bytes of status line and headers; servers allow 8 to 64 KiB in requests, curl refuses 300 KiB in answers."""
BODY_BYTES_MAX: Final = 10 * 1024 * 1024
"""Bytes of a body as received; longer ones are cut and marked (architecture, section 9)."""
DECODED_BYTES_MAX: Final = 40 * 1024 * 1024
"""Bytes of a body after content decoding."""
DECODED_RATIO_MAX: Final = 200
"""Decoded bytes per received byte beyond 1 MiB; documentation reaches 20, a bomb 1,000 (RFC 1951 tops at 1032)."""
BODY_SPOOL_BYTES: Final = 1024 * 1024
"""A body longer than this is kept in a temporary file, not in memory."""
CONTENT_CODINGS_MAX: Final = 4
"""Content codings stacked on one body."""
CONTENT_MEMBERS_MAX: Final = 1_000
"""gzip members or zstd frames in one coded body: bgzip and mirrors of logs write hundreds, a page one. Empty ones cost
time and put nothing out."""
DECODED_RATIO_FROM_BYTES: Final = 1024 * 1024
"""Decoded bytes below which no ratio is held against a body: a page of blanks compresses a thousandfold."""
HEADER_FIELDS_MAX: Final = 500
"""Fields read of one head; Apache and Tomcat allow 100 in requests, the largest real answers have about 60."""
COOKIES_MAX: Final = 20
"""Cookies kept along one redirect chain."""
COOKIE_BYTES_MAX: Final = 4096
"""Bytes of the Cookie field we send; RFC 6265 section 6.1 asks for at least 4096 a cookie, servers refuse 8 KiB."""
JAR_COOKIES_MAX: Final = 100
"""Cookies kept for one host; RFC 6265 section 6.1 asks for at least 50 a domain. The oldest goes."""
CONNECTIONS_KEPT_MAX: Final = 2000
"""Idle connections kept by a worker; the oldest is closed for a new one. Half of a common limit of open files."""
KEEP_SECONDS_MAX: Final = 90.0
"""A connection idle for longer is closed; nginx keeps one for 75 s, Apache for 5."""
CONNECT_ADDRESSES_MAX: Final = 4
"""Addresses of one host tried for one fetch: each gets a share of the connect limit."""

# --- DNS --------------------------------------------------------------------------------------------------------
DNS_SECONDS_MAX: Final = 10.0
"""One look-up, retries included."""
DNS_OTHER_FAMILY_SECONDS_MAX: Final = 2.0
"""Once a host has addresses of one family, how long to wait for the other: some servers never answer AAAA."""
DNS_TTL_MIN_SECONDS: Final = 60.0
"""A shorter time to live is read as this: some names state 0 and would cost a look-up a page."""
DNS_TTL_MAX_SECONDS: Final = 24 * 3600.0
DNS_NEGATIVE_SECONDS: Final = 300.0
"""How long 'no such name' is believed; RFC 2308 section 5 allows up to three hours."""
DNS_CACHE_NAMES_MAX: Final = 200_000
DNS_FAILED_SECONDS: Final = 30.0
"""How long a failed look-up is believed; RFC 2308 section 7 allows up to five minutes."""
DNS_STALE_SECONDS_MAX: Final = 24 * 3600.0
"""An expired answer is used this long while its servers fail; RFC 8767 section 5 suggests one to three days."""
DNS_QUERIES_MAX: Final = 256
"""Look-ups under way at once; the rest wait. Small resolvers drop packets beyond a few hundred."""
HOSTS_FILE_BYTES_MAX: Final = 16 * 1024 * 1024
"""Bytes of a hosts file that are read; the largest public block lists have 8 MiB."""

# --- pages ------------------------------------------------------------------------------------------------------
LINKS_PER_PAGE_MAX: Final = 20_000
"""Distinct URLs taken from one page; the rest are counted. Indexes of real manuals name 3,000 in 30,000 links."""
LINK_ROWS_PER_PAGE_MAX: Final = 200_000
"""Links of one page that are looked at, repetitions included."""
HOSTS_CACHED_MAX: Final = 8_192
"""Hosts with their ports that are remembered without: each is asked for of every link, many times. About 2 MB."""
REFERENCES_KEPT: Final = 50_000
"""References of one generation whose URL is remembered, of all hosts together; two generations are kept, some 30 MB at
most. A page's links cost four microseconds each to resolve, and a fifth of one when known."""
REFERENCE_CHARACTERS_KEPT: Final = 200
"""Longer references are seldom met twice."""
LINK_TEXT_CHARACTERS_MAX: Final = 200
TITLE_CHARACTERS_MAX: Final = 500
HTML_DEPTH_MAX: Final = 512
"""Nesting beyond this marks a page malformed; browsers stop near 512 too."""
HTML_NODES_MAX: Final = 1_000_000
"""Elements a page may grow to, judged before it is parsed: 170 MB of tree. Unclosed formatting elements are opened
again in every paragraph (HTML standard, "reconstruct the active formatting elements"): 90 KB can become 10 million."""
HTML_DEPTH_COMMON: Final = 64
"""Nesting that ordinary pages stay below; only deeper ones pay for an exact measurement."""
CHARSET_PRESCAN_BYTES: Final = 1024
"""Where a page must declare its encoding (HTML standard section 13.2.3.2)."""
CHARSET_LATE_BYTES_MAX: Final = 64 * 1024
"""Where a declaration still counts against a guess."""
CHARSET_SAMPLE_BYTES: Final = 256 * 1024
"""Bytes that encoding detection looks at; more do not change its mind and cost 5 ms a megabyte."""
REL_CHARACTERS_MAX: Final = 256
"""Characters of a rel that are read; three tokens matter."""
ROBOTS_RULES_CHARACTERS_MAX: Final = 4096
"""Characters of one meta or X-Robots-Tag that are read."""
SRCSET_CANDIDATES_MAX: Final = 64
"""Images taken from one srcset; pages offer ten sizes of one picture."""

LINK_HEADER_LINKS_MAX: Final = 500
"""Links taken from the Link fields of one answer; servers that send preloads name dozens."""
JSON_LD_CHARACTERS_MAX: Final = 512 * 1024
"""Characters of one JSON-LD block; the largest describe a shop's page in 200 kilobytes."""
JSON_LD_NODES_MAX: Final = 20_000
"""Values of one block that are looked at."""

# --- sitemaps and feeds -----------------------------------------------------------------------------------------
SITEMAP_BYTES_MAX: Final = 50 * 1024 * 1024
"""Bytes of one sitemap or feed, unpacked (sitemaps.org: 52,428,800)."""
SITEMAP_URLS_MAX: Final = 50_000
"""URLs taken from one file (sitemaps.org)."""
SITEMAP_NESTING_MAX: Final = 5
"""Files from a robots.txt or a page to the last sitemap or feed page; sitemaps.org allows an index no index within."""
SITEMAP_DEPTH_MAX: Final = 128
"""Elements within elements in one file; sitemaps need six, feeds with markup in them twenty."""
SITEMAP_ALTERNATES_MAX: Final = 100
"""Alternates of one URL, links of one entry, bases of one file: the largest sites speak eighty languages."""
SITEMAP_HOSTS_ASKED_MAX: Final = 50
"""Other hosts whose robots.txt is asked whether it names a sitemap, for one file."""
SITEMAP_ASKED_SECONDS_MAX: Final = 60.0
"""How long they may take to answer; no answer counts as no."""
MARKUP_TAG_CHARACTERS_MAX: Final = 64 * 1024
"""Characters of one tag or document type declaration; a longer one is none."""
FEED_JSON_BYTES_MAX: Final = 10 * 1024 * 1024
"""Characters of a JSON Feed, which is read as a whole; the limit of an ordinary body."""

# --- archive ----------------------------------------------------------------------------------------------------
WARC_BYTES_TARGET: Final = 1_000_000_000
"""A WARC file is closed once it is this long (the WARC guidelines' 1 GB)."""
JOURNAL_BYTES_MAX: Final = 128 * 1024 * 1024
JOURNAL_SECONDS_MAX: Final = 3600.0
"""A journal becomes a Parquet file at this size or age (architecture, section 5)."""
INDEX_JOURNAL_BYTES_MAX: Final = 64 * 1024 * 1024
"""A WARC file is closed, too, once its index lines are this long: they are sorted in memory at its closing."""
ROW_GROUP_BYTES_MAX: Final = 16 * 1024 * 1024
"""Arrow bytes gathered into one row group of a Parquet file; a conversion holds one at a time. Of a journal of 90 MiB
it takes 31 MB then, 48 with groups twice as long, whose file is a tenth smaller."""
TAIL_BYTES_CUT_MAX: Final = 64 * 1024 * 1024
"""Recovery cuts an uncommitted tail up to this long; a longer one moves to aside/ for a person to look at."""
RECORD_BYTES_MAX: Final = 1024 * 1024 * 1024
"""Bytes of one record that are read back: as large as a whole file is meant to be; a member that inflates beyond it is
none of ours."""
REVISIT_STEPS_MAX: Final = 4
"""Revisits followed to a payload: ours point at an original, those of others may point at each other."""
ARCHIVE_BLOCK_BYTES_MAX: Final = 64 * 1024 * 1024
"""Bytes of a foreign record's block that are kept: six times our longest body; what is longer is cut and marked."""
ARCHIVE_HEAD_BYTES_MAX: Final = 256 * 1024
"""Bytes of one record's own header: ten lines in every archive seen, some hundreds where metadata was put there."""
ARCHIVE_PROBLEMS_MAX: Final = 1_000
"""Damaged places after which the rest of a file is given up: looking for the next good one costs time at each."""
ARCHIVE_DICTIONARY_BYTES_MAX: Final = 16 * 1024 * 1024
"""Bytes of a zstd dictionary; those of web archives have about 1 MB."""
ARCHIVE_ZSTD_WINDOW_BYTES_MAX: Final = 128 * 1024 * 1024
"""Window of a foreign zstd frame: what `zstd --long` writes, and all that other readers take."""

# --- command line -----------------------------------------------------------------------------------------------
SEED_FILE_BYTES_MAX: Final = 256 * 1024 * 1024
"""Bytes of one seed file: some three million URLs, read into memory once."""
CONTROL_BYTES_MAX: Final = 1024 * 1024
"""Bytes of one line over the control socket; a status with every reason counted has a few kilobytes."""
HOSTS_PER_ANSWER_MAX: Final = 500
"""Hosts looked at for one answer over the control socket: some 5 ms of the crawl's loop, and never more bytes than an
answer may have."""
CONTROL_SECONDS_MAX: Final = 5.0
"""How long a running crawl may take to answer; its loop steps in milliseconds."""
CONTROL_CONNECTIONS_MAX: Final = 64
"""Connections to the control socket at once; each holds a file descriptor and up to two lines that the fetches need."""

# --- traps ------------------------------------------------------------------------------------------------------
TEMPLATE_CHARACTERS_MAX: Final = 512
"""Characters of a URL's template; what differs only behind them counts as one."""
TEMPLATES_PER_SITE_MAX: Final = 1_000
"""Templates of one site that are told apart; the fetches of all others are counted together. A documentation site of
16,000 pages has 900 with a number in them; 300 KB of the store."""
TEMPLATES_CACHED_MAX: Final = 4_000
"""Rows of counts of a shard that are kept in memory; about 2 MB."""
TEMPLATE_MEMORIES_MAX: Final = 128
"""Templates of a shard whose texts are remembered: 4 KiB each, 8 MiB for 16 shards."""
TRAP_WINDOW_FETCHES: Final = 64
"""Fetches after which those before weigh half: what a template brought long ago must not speak for it for ever."""
TRAP_THROTTLED_FETCHES_MIN: Final = 8
"""Fetches before a template may come last: eight pages of one kind are the least that a list has."""
TRAP_THROTTLED_SHARE_MAX: Final = 0.25
"""A template comes last where fewer of its fetches bring something new: others bring four times as much."""
TRAP_CLOSED_FETCHES_MIN: Final = 10
"""Fetches in a row without anything new before a template may be closed. Of 22,000 pages on the documentation sites of
our proofs the longest run of equal pages that share a template is seven."""
TRAP_CLOSED_SHARE_MAX: Final = 0.05
"""A template is closed where so few bring something new: one in twenty, the share that a site's owner would not miss
(reference value for yields of trap control: under 5 % over a window)."""
TRAP_SHARE_FETCHES_MIN: Final = 20
"""Fetches before that share is looked at: one in twenty is no share of fewer."""
TRAP_RUN_FETCHES_MAX: Final = 60
"""The most that is asked for of a run, whatever a template brought before: a host may turn into a trap."""
TRAP_RUN_CERTAINTY: Final = 3.0
"""A run is no chance where so many new ones were to be expected in it: e to the -3, one in twenty."""
TRAP_RUN_PER_NOVEL: Final = 0.25
"""What each fetch that brought something new adds to the run that is asked for."""
TRAP_DULL_HOSTS_MAX: Final = 12
"""The run for hosts below a site that nobody has seen anything of: their names cost a look-up each, too."""
TRAP_HOSTS_WATCHED_MAX: Final = 4
"""Fetches under way at once from hosts below a site that nobody has seen anything of: the gaps of a thousand hosts
bound nothing together."""
TRAP_HOSTS_WATCHED_SECONDS: Final = 30.0
"""How long such a fetch is waited for: half a minute, as for a slow answer."""
TRAP_MIXED_FETCHES_MIN: Final = 100
"""Fetches that are asked for where a row stands for URLs of many kinds."""
TRAP_SITE_SHARE_MAX: Final = 0.1
"""Share of a site's fetches that a template of low yield may have before it is closed."""
TRAP_SITE_SHARE_FETCHES_MIN: Final = 200
"""Fetches of a template before its share of the site counts: on small sites every template has a large one."""
TRAP_EXAMPLES_KEPT: Final = 3
"""URLs kept as examples with each row of counts."""
TRAP_LOOKED_AT_FIRST: Final = 24
"""First fetches, whose text is looked at, each, of a template that words may close; beyond them, and of others, while
all bring something new, one in `TRAP_LOOKED_AT_ONE_IN`."""
TRAP_LOOKED_AT_ONE_IN: Final = 64
"""Comparing a text takes up to 2 ms for 55 KB; one in 64 costs a page 30 us."""
TRAP_TEXT_BYTES_MAX: Final = 64 * 1024
"""Bytes of a page whose text is compared: what a template repeats stands in front."""
TRAP_BLOCKS_PER_PAGE_MAX: Final = 1_000
"""Pieces of text of one page that are compared; a page of 55 KB has some 300."""
TRAP_NEW_BLOCKS_MAX: Final = 100
"""Those of them, new to the template, in which names are looked for: a page with more has enough to say."""
TRAP_LETTERS_JUDGED_MIN: Final = 100
"""Bytes of text that a page must have to be judged by it: less is a title and a number."""
TRAP_LETTERS_NEW_MIN: Final = 24
"""Letters of new words that make a page new: four words; a rubric and a name have less, a sentence has more."""
TRAP_ROWS_NEW_MIN: Final = 6
"""Rows of a table, with figures in them, not met before that make a page new: a table of measurements has one an hour;
a calendar has weeks without figures, a list of goods the rows of its neighbours."""
TRAP_ROWS_PER_PAGE_MAX: Final = 100
"""Such rows, and images, of one page that are compared."""
TRAP_DATES_TRIED: Final = 4
"""Fetches of one form of dates (days, months) before what the other forms of the same place brought closes it: lists of
months say nothing of the days behind them."""
TRAP_PATH_SEGMENTS_MAX: Final = 20
"""Segments of a path (Heritrix: TooManyPathSegmentsDecideRule)."""
TRAP_URL_CHARACTERS_MAX: Final = 1_024
"""Characters of host, path and query (StormCrawler: BasicURLFilter)."""
TRAP_SEGMENT_GROUP_REPEATS_MAX: Final = 3
"""The same group of segments so often in a row is a trap (Heritrix: PathologicalPathDecideRule)."""
TRAP_SEGMENT_REPEATS_MAX: Final = 4
"""The same segment more often anywhere is one. Nutch refuses the third; `/a/b/a/c/a/` is a page now and then."""
TRAP_PARAMETERS_MAX: Final = 16
"""Parameters of a query; search forms have a dozen."""
TRAP_PARAMETER_REPEATS_MAX: Final = 8
"""Parameters whose name stood before in the query: lists of chosen boxes are shorter."""
TRAP_HOST_LABELS_MAX: Final = 8
"""Labels of a host name; names of clouds have six or seven."""
TRAP_YEARS_BACK: Final = 36
"""A calendar's page from earlier years is one of endless many (`traps.years_back`). The web is of 1991, and archives of
lists and news that moved there are hardly older: the pages of 36 years, some of which have real entries behind them,
are few enough to be judged by what they bring."""
TRAP_YEARS_AHEAD: Final = 1
"""The same for later years: conferences are announced a year ahead (`traps.years_ahead`)."""
SUSPECTS_PER_ANSWER_MAX: Final = 100
"""Suspects in one answer over the control socket: three URLs of 2,048 characters each, and the answer's megabyte."""
SUSPECTS_SHOWN_MAX: Final = 10_000
"""Suspects of one report; people read the first dozen."""
TRAP_SHAPES_CACHED_MAX: Final = 20_000
"""URLs whose shape is remembered; about 4 MB. Nine links in ten were met lately."""
TRAP_SPELLINGS_CACHED_MAX: Final = 50_000
"""URLs of several parameters whose first spelling is remembered; about 6 MB."""

# --- store, exchange --------------------------------------------------------------------------------------------
STORE_CACHE_BYTES: Final = 512 * 1024**2
"""Blocks, indexes and filters that all stores of a worker keep in memory; enough for 10 million known URLs, and at 100
million what is left out is in the page cache: a get took 22 us then, 16 at 10 million."""
STORE_WRITE_BUFFERS_BYTES: Final = 16 * 1024**2
"""Changes that all stores of a worker keep in memory, unless it has many; with more, a table is written out. It is what
a crawl's memory grows by until it is reached: a slow crawl of 16 pages/s is there after four minutes. With eight times
as much the store wrote a third less and took a tenth less CPU (its own), and a worker 110 MB more."""
STORE_WRITE_BUFFERS_PER_SHARD_BYTES: Final = 1024**2
"""And what they keep for each shard at least: 16 tables that hold anything begin with a quarter of it."""
LINKS_AT_ONCE_MAX: Final = 1_000
"""Links queued, or reported, in one step of the loop: some 30 ms. What a page has beyond them waits in the outbox."""
PAGE_BYTES_AT_ONCE_MAX: Final = 128 * 1024
"""A longer body, as received, is read when no other long step has just been made: a megabyte takes 50 ms."""
OUTBOX_ENTRIES_MAX: Final = 10_000
"""Undelivered page batches of one shard; beyond it the shard stops leasing, never receiving."""
SHARDS_MAX: Final = 1_024
"""Shards of one crawl: each has a store of its own of about 1 MiB idle, and a cluster needs 256 (architecture, 6)."""
COMMIT_INTERVAL_MAX_SECONDS: Final = 60.0
"""A crash costs the fetches since the last commit; more than a minute of them is no durability worth the name."""
DIGEST_ANSWER_SECONDS_MAX: Final = 2.0
"""A content-seen question unanswered for this long counts as new (architecture, section 6)."""
EXCHANGE_FRAME_BYTES_MAX: Final = 64 * 1024**2
"""One message between workers. An entry of an outbox holds at most a thousand links, some megabytes of the longest."""
EXCHANGE_BATCH_BYTES: Final = 1024**2
"""Outbox entries that travel together; more of them go in several messages, so that none holds up the receiver."""
EXCHANGE_BATCHES_OUT_MAX: Final = 32
"""Batches sent to one worker and not yet durable there; the next wait in the sender's outbox, which it has anyway."""
EXCHANGE_ASKED_MAX: Final = 512
"""Questions of one worker that are worked on at once; with more nothing further is read from it: one for each fetch
under way, and the batches."""
EXCHANGE_RETRY_SECONDS: Final = 0.1
"""Between two attempts to reach a worker that does not listen: it starts, or was lost and is being started again."""
SUPERVISOR_FRAME_BYTES_MAX: Final = 1024**3
"""One message between a supervisor and a worker, both ours; the longest names all files of a crawl."""
SUPERVISOR_ANSWER_SECONDS_MAX: Final = 4.0
"""How long a worker may take to answer a question that was passed on to it: less than the asker waits."""
WORKER_DEATHS_MAX: Final = 5
"""Deaths of workers within `WORKER_DEATHS_SECONDS` that a crawl lives through: a page that kills its worker each time
would else be fetched for ever, and a site asked for it."""
WORKER_DEATHS_SECONDS: Final = 600.0
WORKER_BACKOFF_FIRST_SECONDS: Final = 0.5
WORKER_BACKOFF_MAX_SECONDS: Final = 30.0
"""Pause before a lost worker is started again; doubled with each death in that time."""
WORKER_BLOCK_PAGES: Final = 256
"""Pages of a cap lent to a worker at once: at 400 a second, half a second's."""
WORKER_BLOCK_BODIES: Final = 16
"""The same of bytes, in bodies of the greatest length."""

# --- facts, log, disk guard -------------------------------------------------------------------------------------
FACT_LINE_BYTES_MAX: Final = 16 * 1024
"""Bytes of one line of the log; a longer fact has its texts cut. A URL of 2,048 characters fits, written as escapes."""
FACT_TEXT_CHARACTERS: Final = 400
"""Characters left of each text of a fact that was too long: 12 KiB for five texts of escapes."""
FACTS_WAITING_BYTES_MAX: Final = 8 * 1024 * 1024
"""Lines that wait for the log's thread; beyond it facts are dropped and counted. At full speed an hour of them."""
DISK_RESERVE_BYTES: Final = 32 * 1024 * 1024
"""Kept as a file while a crawl runs, and given back when another process fills the disk between two looks: ten times
what is usually under way."""
DISK_RESERVE_SHARE_MAX: Final = 0.05
"""The reserve takes no more than this part of what is free at the start."""
DISK_FILES_MIN: Final = 1_000
"""A disk with fewer free inodes than this counts as full, however many bytes it has."""
DISK_SETTLED_SECONDS: Final = 2.0
"""There must be room for this long before a paused crawl goes on: other programs' temporary files come and go."""
METRICS_CONNECTIONS_MAX: Final = 16
"""Connections to the metrics answered at once; a Prometheus needs one every 15 s."""
METRICS_WAITING_MAX: Final = 64
"""Connections to the metrics at once; those above the former number are told to come later, those above this one are
closed unheard: a thousand that say nothing would take the file descriptors that the fetches need."""
METRICS_REQUEST_BYTES_MAX: Final = 16 * 1024
"""Bytes of a request for the metrics; browsers send about one kilobyte."""
METRICS_SECONDS_MAX: Final = 10.0
"""How long such a request may take, Prometheus's own default."""
