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
HOST_VERDICTS_MAX: Final = 100_000
"""Hosts whose scope verdict is remembered; beyond it all are decided anew. About 20 MB."""
PARAMETER_NAMES_CACHED: Final = 4096
"""Names of query parameters whose fate is remembered: a site has dozens. About 0.5 MB."""

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
HOSTS_IN_MEMORY_MAX: Final = 100_000
"""Host states held as objects; the rest are bytes in the store (architecture, section 2)."""
HEAD_ENTRIES_MAX: Final = 16
"""Queue entries of one host and level held in memory; the rest stay in the store."""
URL_TRIES_MAX: Final = 3
"""Failures, while the host otherwise answers, after which a URL is recorded as failed."""

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
ROW_GROUP_BYTES_MAX: Final = 32 * 1024 * 1024
"""Arrow bytes gathered into one row group of a Parquet file; a conversion holds one at a time."""
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

# --- store, exchange --------------------------------------------------------------------------------------------
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
