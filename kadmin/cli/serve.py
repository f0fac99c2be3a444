"""`kadmin serve`: a page and an API for clusters."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kadmin.cli.common_options import ListenAddress, default_min_isr_option
from kadmin.cli.frame import command
from kadmin.cli.options import Number, option
from kadmin.cli.session import Session
from kadmin.extras import Extra, require_extra

if TYPE_CHECKING:
    from kadmin.web.access import Access, Proxy
    from kadmin.web.audit import AuditLog
    from kadmin.web.clusters import WatchedCluster
    from kadmin.web.measured import Endpoints
    from kadmin.web.serving import Serving

MODULES: Final = ("starlette", "uvicorn", "jinja2")
LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")

WHO: Final = "Who may do what"
WHERE: Final = "Addresses"


@command("serve", short_help="Serve a page and an API for clusters.", speaks_to_brokers=True)
@option(
    "--cluster",
    "--name",
    "names",
    metavar="NAME",
    multiple=True,
    completes="clusters",
    help="A named cluster to show; may be repeated. The current one unless given.",
)
@option(
    "--every",
    "interval_s",
    type=Number(1, 3600),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="Look at each cluster every so many seconds, however many readers there are.",
)
@default_min_isr_option()
@option(
    "--prometheus-url",
    "prometheus_urls",
    multiple=True,
    metavar="ID=URL",
    help="A broker's metrics for Prometheus, of the one cluster that is shown; may be repeated.",
)
@option(
    "--jolokia-url",
    "jolokia_urls",
    multiple=True,
    metavar="ID=URL",
    help="A broker's metrics by Jolokia, of the one cluster that is shown; may be repeated.",
)
@option(
    "--timeline",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="A page of 'kadmin merge-logs --html' to link.",
)
@option("--write", is_flag=True, section=WHO, help="Let visitors change clusters, by their roles.")
@option(
    "--token-file",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    section=WHO,
    help="Who may log in: lines NAME ROLE TOKEN [CLUSTER...]. It is made if it is missing.",
)
@option(
    "--audit-file",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    section=WHO,
    help="Where changes and refusals are noted, as JSON lines.",
)
@option(
    "--auth-header",
    metavar="NAME",
    section=WHO,
    help="A header in which the proxy of --trusted-proxy names the visitor.",
)
@option(
    "--trusted-proxy",
    "proxies",
    metavar="ADDRESS",
    multiple=True,
    section=WHO,
    help="A reverse proxy's IP address whose headers are believed; may be repeated.",
)
@option(
    "--listen",
    type=ListenAddress(),
    default="127.0.0.1:8090",
    show_default=True,
    metavar="HOST:PORT",
    section=WHERE,
    help="Where to listen.",
)
@option(
    "--url",
    "urls",
    metavar="URL",
    multiple=True,
    section=WHERE,
    help="An address by which browsers come, such as https://kafka.example.com behind a proxy.",
)
@option(
    "--tls-cert",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    section=WHERE,
    help="PEM file of the server's certificate with its chain.",
)
@option(
    "--tls-key",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    section=WHERE,
    help="PEM file of its key.",
)
@option(
    "--plain-http",
    is_flag=True,
    section=WHERE,
    help="Listen beyond this machine without TLS: others on the way can read tokens and use them.",
)
def serve(session: Session, **options: Any) -> None:
    """Serve a page from which clusters are seen, and with --write changed, and a JSON API.

    Visitors log in with a token of --token-file; programs send it as 'Authorization: Bearer TOKEN'.
    Each line there is NAME ROLE TOKEN [CLUSTER...]: the role is read, operate or admin, on the
    named clusters or on all. A file that is missing is made, with one token of an admin. It has to
    be readable by its owner alone, and is read again when it changes.

    It listens on this machine alone; on other addresses only by TLS (--tls-cert, --tls-key), or
    with --plain-http. Behind a reverse proxy, --url is the address that browsers use;
    --auth-header, with --trusted-proxy, lets it name the visitors. SIGINT and SIGTERM end it.

    \b
    Examples:
      kadmin serve --cluster prod-eu --cluster prod-us
      kadmin serve --write --token-file /etc/kadmin/tokens
      kadmin serve --url https://kafka.example.com --trusted-proxy 127.0.0.1
    """
    require_extra("kadmin serve", Extra.WEB, *MODULES)
    check_options(options)
    from kadmin.web.server import TlsFiles, listening_socket, serve

    host, port = options["listen"]
    tls = None
    if options["tls_cert"]:
        tls = TlsFiles(cert=Path(options["tls_cert"]), key=Path(options["tls_key"]))
    clusters = watched_clusters(session, options)
    access = access_of(session, options)
    with listening_socket(host, port) as listening:
        port = listening.getsockname()[1]
        serving = serving_of(clusters, access, options, port)
        where = f"serving {', '.join(clusters)} at {shown_address(options, port)}"
        serve(serving, listening, tls, lambda: session.output.note(where))


def check_options(options: dict[str, Any]) -> None:
    """Refuse options that do not go together, or would give tokens away.

    Raises:
        click.UsageError: they do not.
    """
    import ipaddress

    if bool(options["tls_cert"]) != bool(options["tls_key"]):
        raise click.UsageError("--tls-cert and --tls-key go together")
    if options["auth_header"] and not options["proxies"]:
        raise click.UsageError("--auth-header needs --trusted-proxy: anyone could send it")
    for proxy in options["proxies"]:
        try:
            ipaddress.ip_address(proxy)
        except ValueError:
            raise click.UsageError(f"--trusted-proxy: '{proxy}' is no IP address") from None
    host, _ = options["listen"]
    if host not in LOOPBACK and not options["tls_cert"] and not options["plain_http"]:
        raise click.UsageError(
            f"{host} can be reached from elsewhere: give --tls-cert and --tls-key, or listen on"
            " 127.0.0.1 behind a proxy; --plain-http serves without TLS"
        )
    if len(options["names"]) > 1 and (options["prometheus_urls"] or options["jolokia_urls"]):
        raise click.UsageError("--prometheus-url and --jolokia-url are for one --cluster alone")
    for url in options["urls"]:
        check_url(url)


def check_url(url: str) -> None:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        is_fine = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_fine = is_fine and parts.path in ("", "/") and not parts.query
        is_fine = is_fine and parts.port != 0 and "@" not in parts.netloc
    except ValueError:
        is_fine = False
    if not is_fine:
        raise click.UsageError(f"--url: '{url}' is not http://HOST[:PORT] or https://HOST[:PORT]")


def watched_clusters(session: Session, options: dict[str, Any]) -> "dict[str, WatchedCluster]":
    """Return the clusters that are named, or the one that this run is about.

    Raises:
        KadminError: one is not known, or its settings make no connection.
    """
    from kadmin.web.clusters import WatchedCluster

    names = options["names"] or (None,)
    found: dict[str, WatchedCluster] = {}
    for name in names:
        flags = session.flags if name is None else {**session.flags, "cluster": name}
        asked = Session(flags)
        # What is wrong with it is found before anything is served.
        asked.settings.check_cluster()
        if not asked.asks_brokers:
            asked.settings.zookeeper()
        shown = asked.settings.shown_cluster
        # A chroot would begin another part of an address.
        shown = shown.replace("/", "_")
        found[shown] = WatchedCluster(
            shown,
            flags,
            interval_s=options["interval_s"],
            default_min_isr=options["default_min_isr"],
            endpoints=endpoints_of(asked, options),
        )
    return found


def endpoints_of(session: Session, options: dict[str, Any]) -> "Endpoints | None":
    """Return what finds the endpoints of metrics: those that are named, or those that brokers of a
    cluster of this machine serve; None for any other cluster.

    Raises:
        UsageError: one is no address.
    """
    from kadmin.app.local_metrics import local_endpoints, serves_metrics

    if options["prometheus_urls"] or options["jolokia_urls"]:
        from kadmin.cli.metrics import named_endpoints

        named = named_endpoints(options)
        return lambda: named
    name, zookeeper = session.settings.cluster_name, session.settings.text("zookeeper")
    if name is None or zookeeper is None or not serves_metrics(name, zookeeper):
        return None
    return lambda: local_endpoints(name)


def access_of(session: Session, options: dict[str, Any]) -> "Access":
    """Return who may log in; a token file that is missing is made.

    Raises:
        BadTokenFile: it cannot be used.
    """
    from kadmin.settings.xdg import user_directory
    from kadmin.web.access import Access, TokenFile
    from kadmin.web.tokens import make_token_file

    usual = Path(user_directory("XDG_CONFIG_HOME", "~/.config")) / "page-tokens"
    path = Path(options["token_file"]) if options["token_file"] else usual
    is_made = make_token_file(path)
    file = TokenFile(path)
    session.output.note(
        f"made {path}, which has the token to log in with"
        if is_made
        else f"log in with a token of {path}"
    )
    return Access(
        file=file,
        proxy=proxy_of(options),
        is_secure=bool(options["tls_cert"])
        or any(url.startswith("https:") for url in options["urls"]),
    )


def audit_of(options: dict[str, Any]) -> "AuditLog | None":
    """Return the audit log; a page that writes has one in any case.

    Raises:
        CannotAudit: it cannot be written.
    """
    from kadmin.settings.xdg import user_directory
    from kadmin.web.audit import AuditLog

    path = options["audit_file"]
    if path is None and not options["write"]:
        return None
    usual = Path(user_directory("XDG_STATE_HOME", "~/.local/state")) / "page-audit.jsonl"
    audit = AuditLog(usual if path is None else Path(path))
    audit.check()
    return audit


def proxy_of(options: dict[str, Any]) -> "Proxy | None":
    from kadmin.web.access import Proxy, plain_address

    if not options["proxies"]:
        return None
    addresses = frozenset(map(plain_address, options["proxies"]))
    return Proxy(addresses=addresses, header=options["auth_header"])


def serving_of(
    clusters: "dict[str, WatchedCluster]", access: "Access", options: dict[str, Any], port: int
) -> "Serving":
    from urllib.parse import urlsplit

    from kadmin.local.addresses import host_and_port, local_address
    from kadmin.web.serving import Serving

    # Where it listens on all addresses, the one that is shown is served; others need an --url.
    host = local_address(options["listen"][0])
    scheme = "https" if options["tls_cert"] else "http"
    names = {host, *(LOOPBACK if host in LOOPBACK else ())}
    origins = {f"{scheme}://{host_and_port(name, port)}" for name in names}
    if port == (443 if scheme == "https" else 80):
        origins |= {f"{scheme}://{name}" for name in names}
    for url in options["urls"]:
        parts = urlsplit(url.lower())
        names.add(parts.hostname or "")
        # Browsers leave the usual port out.
        usual = ":443" if parts.scheme == "https" else ":80"
        origins.add(f"{parts.scheme}://{parts.netloc.removesuffix(usual)}")
    timeline = options["timeline"]
    return Serving(
        clusters=clusters,
        access=access,
        hosts=frozenset(name.lower() for name in names),
        origins=frozenset(origins),
        writes=options["write"],
        audit=audit_of(options),
        timeline=None if timeline is None else Path(timeline),
    )


def shown_address(options: dict[str, Any], port: int) -> str:
    from kadmin.local.addresses import host_and_port, local_address

    if options["urls"]:
        return str(options["urls"][0])
    host, _ = options["listen"]
    scheme = "https" if options["tls_cert"] else "http"
    return f"{scheme}://{host_and_port(local_address(host), port)}/"
