"""Parameters that the URL key leaves out: those that only track who came from where, and session ids.

Version 2 of the key rules is fixed to the tables here: what a version leaves out never changes. What a crawl's owner
adds (`keys.drop`) or exempts (`keys.keep`) is kept in the crawl folder beside the version.

A name is in the tables when it means tracking wherever it occurs: it is the documented parameter of an advertising or
mailing service, long or odd enough that no site has it for something else. `ref`, `source`, `campaign`, `id` and `sid`
with a short value choose content on too many sites, and stay; a host where they choose nothing teaches us that by
itself (alias rules).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Final

TRACKING_2: Final = {
    "Google Analytics, Ads, Merchant": (
        "utm_* _ga _gl gclid gclsrc dclid gbraid wbraid gad_source gad_campaignid srsltid"
    ),
    "Meta, Instagram": "fbclid fb_action_ids fb_action_types fb_ref fb_source igsh igshid mibextid",
    "Microsoft": "msclkid",
    "X": "twclid ref_src ref_url __twitter_impression",
    "LinkedIn, Pinterest, TikTok, Reddit, Snap": "li_fat_id epik ttclid rdt_cid sccid",
    "Yandex": "yclid ysclid _openstat",
    "Yahoo": "guccounter guce_referrer guce_referrer_sig",
    "Matomo, Piwik": "mtm_* pk_campaign pk_kwd pk_keyword pk_source pk_medium pk_content pk_cid piwik_*",
    "Adobe": "s_cid s_kwcid ef_id sc_cid",
    "AT Internet": "at_campaign at_medium at_custom1 at_custom2 at_custom3 at_custom4 xtor",
    "comScore": "ns_campaign ns_mchannel ns_source ns_linkname ns_fee",
    "Webtrends, Webtrekk": "wt.mc_id wt_mc wt_zmc",
    "HubSpot": "_hsenc _hsmi __hssc __hstc __hsfp hsctatracking",
    "Mailchimp": "mc_cid mc_eid",
    "Marketo, Eloqua, Vero, Omeda, MailerLite, Klaviyo": (
        "mkt_tok elqtrack elqtrackid vero_id vero_conv oly_anon_id oly_enc_id ml_subscriber ml_subscriber_hash _kx"
    ),
    "affiliate networks": "zanpid rb_clickid irclickid wickedid _branch_match_id",
}
"""Names by whose they are, in lower case; `*` at the end stands for any ending."""

SESSIONS_2: Final = "jsessionid phpsessid aspsessionid* cfid cftoken oscsid zenid bv_sessionid _sessionid"
"""Parameters of the query that are session ids whatever they hold."""
SESSIONS_BY_VALUE_2: Final = "sid _sid sessid session session_id sessionid"
"""Parameters that are session ids where their value looks like one."""
SESSION_VALUE_2: Final = re.compile(r"(?=[^0-9]*[0-9])(?=.*[A-Za-z])[0-9A-Za-z,\-]{24,128}")
"""At least 24 letters and digits, both: PHP's ids have 26 or 32, Java's and phpBB's 32."""
SESSION_SEGMENT_2: Final = re.compile(r"(?:/(?:\([A-Z]\([0-9a-z]{24}\)\)|\([0-9a-z]{24}\)))+(?=/)", re.IGNORECASE)
"""A segment of the path that is ASP.NET's session: `/(S(lit3py55t21z5v55vlm25s55))/`."""
SESSION_SUFFIX_2: Final = re.compile(r";(?:jsessionid|phpsessid|sid|sessionid)(?:=[^;/]*)?(?=[;/]|$)", re.IGNORECASE)
"""A parameter of a path segment that is a session: `;jsessionid=1A530637`."""
SESSION_IN_QUERY_2: Final = re.compile(r";(?:jsessionid|phpsessid)=[^;&]*(?=[;&]|$)", re.IGNORECASE)
"""The same, put behind the query by servers that did not look."""


def name_matcher(patterns: Iterable[str]) -> Callable[[str], bool]:
    """Whether a parameter's name (lower case) is among `patterns`: names, or beginnings ended by `*`."""
    words = [pattern.lower() for pattern in patterns]
    names = frozenset(word for word in words if not word.endswith("*"))
    starts = tuple(word[:-1] for word in words if word.endswith("*"))
    return lambda name: name in names or (bool(starts) and name.startswith(starts))


def tracking_names() -> tuple[str, ...]:
    """Every pattern of `TRACKING_2`."""
    return tuple(name for names in TRACKING_2.values() for name in names.split())
