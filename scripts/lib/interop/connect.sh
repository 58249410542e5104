# The Connect conformance suite through a sidecar; sourced by scripts/interop.
# shellcheck shell=bash

connect_suite=connectrpc.com/conformance/cmd
connect_version=v1.0.7

# Runs all cases of HTTP/2 without TLS: gRPC, gRPC-Web and Connect, by a forward, and by a served address with mutual TLS.
interop_connect() {
  command -v go >/dev/null || {
    echo "interop: skipped: the Connect conformance suite needs go; get it from https://go.dev" >&2
    return 0
  }
  cd "$(project_root)" || exit
  local bin=$PWD/target/connect mode status=0
  mkdir -p "$bin"
  local program
  for program in connectconformance referenceserver; do
    [ -x "$bin/$program" ] || GOBIN=$bin go install "$connect_suite/$program@$connect_version" \
      || fail "the Connect conformance suite cannot be installed; is the Go module proxy reachable?"
  done
  scripts/outrigger --version && export JAVA_HOME=${JAVA_HOME:-$(newest_jdk)}
  cat >"$bin/features.yaml" <<'EOF'
features:
  versions: [HTTP_VERSION_2]
  protocols: [PROTOCOL_CONNECT, PROTOCOL_GRPC, PROTOCOL_GRPC_WEB]
  codecs: [CODEC_PROTO, CODEC_JSON]
  compressions: [COMPRESSION_IDENTITY, COMPRESSION_GZIP, COMPRESSION_BR, COMPRESSION_ZSTD, COMPRESSION_DEFLATE, COMPRESSION_SNAPPY]
  supportsTls: false
EOF
  for mode in ${2:-h2c mtls}; do
    echo "Connect conformance suite $connect_version, $mode:"
    # One server at a time: each has a sidecar of its own.
    "$bin/connectconformance" --mode server --conf "$bin/features.yaml" --max-servers 1 -- \
      scripts/lib/interop/connect.py "$mode" "$bin/referenceserver" proxy/target/outrigger/bin/outrigger proxy/src/main/resources/demo || status=1
  done
  return $status
}
