"""docs/reference-metrics.md: every metric."""

from __future__ import annotations

from typing import Final

from gossamer.app.metrics import METRICS
from gossamer.app.reference.markdown import table

HEAD: Final = """\
# Metrics

Made from `src/gossamer/app/metrics.py` by `python -m gossamer.app.reference docs`.

`gossamer crawl --metrics 9464 ...` (or `resume`) serves these numbers to [Prometheus](https://prometheus.io/) at
`http://127.0.0.1:9464/metrics`, in its text format, while the crawl runs. `--metrics ADDRESS:PORT` listens elsewhere;
there is no encryption and nobody is asked who they are, so leave it on loopback or a network of your own.
[grafana/gossamer.json](grafana/gossamer.json) is a dashboard for Grafana (Dashboards, New, Import).

```yaml
scrape_configs:
  - job_name: gossamer
    static_configs: [{ targets: ["127.0.0.1:9464"] }]
```

Counters of pages, links and bytes are the crawl's, over all its runs; those of durations and facts begin anew with each
run. Rates are for Prometheus to make: `rate(gossamer_pages_total[1m])`. Two equations always hold, and an alert on them
is an alert on us: links found = refused + sent + seen + new, and known URLs = the sum over their states.

"""


def metrics_document() -> str:
    """docs/reference-metrics.md."""
    rows = [(f"`{each.name}`", each.kind, f"`{each.label}`" if each.label else "", each.meaning) for each in METRICS]
    return HEAD + table(("metric", "kind", "label", "meaning"), rows)
