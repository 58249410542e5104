# shellcheck shell=bash
# Part of scripts/interop: targets of Kubernetes beside a real API server and etcd, without controllers or nodes. The sidecar has a
# token whose role is that of docker/kubernetes/without-mesh.yaml; slices are written by kubectl, as the controller would.
# $KUBE_APISERVER and $ETCD name the programs; kubectl is that of the PATH.

interop_k8s() {
  local apiserver=${KUBE_APISERVER:-} etcd=${ETCD:-}
  [ -n "$apiserver" ] || apiserver=$(command -v kube-apiserver || true)
  [ -n "$etcd" ] || etcd=$(command -v etcd || true)
  local missing=""
  [ -x "$apiserver" ] || missing="kube-apiserver (set KUBE_APISERVER)"
  [ -x "$etcd" ] || missing="${missing:+$missing, }etcd (set ETCD)"
  command -v kubectl >/dev/null || missing="${missing:+$missing, }kubectl"
  if [ -n "$missing" ]; then
    echo "interop k8s: skipped: missing: $missing" >&2
    return 0
  fi

  work=$(mktemp -d)
  pids=()
  trap stop_k8s EXIT
  local store peer api admin
  read -r store peer api admin < <(python3 -c '
import socket
sockets = [socket.socket() for _ in range(4)]
[s.bind(("127.0.0.1", 0)) for s in sockets]
print(*(s.getsockname()[1] for s in sockets))')

  "$etcd" --data-dir "$work/etcd" --listen-client-urls "http://127.0.0.1:$store" \
    --advertise-client-urls "http://127.0.0.1:$store" --listen-peer-urls "http://127.0.0.1:$peer" >"$work/etcd.log" 2>&1 &
  pids+=($!)
  openssl genrsa -out "$work/sa.key" 2048 2>/dev/null
  printf '%s\n' 'token-of-admin,admin,1,"system:masters"' 'token-of-sidecar,sidecar,2' >"$work/tokens.csv"
  start_apiserver
  kubeconfig admin >"$work/admin"
  kubeconfig sidecar >"$work/sidecar"
  export KUBECONFIG=$work/admin
  kubectl create namespace shop >/dev/null

  "${scripts:?}/outrigger" run --forward 127.0.0.1:0=k8s:///orders.shop:8080 --kubeconfig "$work/sidecar" \
    --admin "127.0.0.1:$admin" >"$work/outrigger.log" 2>&1 &
  pids+=($!)
  expect 60 forwards "403" "without a role: the verb, the resource and the remedy"
  expect 5 forwards "endpointslices"
  kubectl create role outrigger -n shop --verb=get,list,watch --resource=endpointslices.discovery.k8s.io >/dev/null
  kubectl create rolebinding outrigger -n shop --role=outrigger --user=sidecar >/dev/null
  expect 40 forwards "has no EndpointSlices" "with the role: a service that does not exist yet"
  slice 10.0.0.1
  expect 5 lb "10.0.0.1:8080" "a slice that is added"
  slice 10.0.0.2
  expect 5 lb "10.0.0.2:8080" "a slice that changes"
  kill "$apiserver_pid"
  wait "$apiserver_pid" || true
  expect 40 "events?format=json" "cannot watch endpointslices" "an API server that is gone is told"
  expect 5 lb "10.0.0.2:8080" "and changes nothing"
  start_apiserver
  slice 10.0.0.3
  expect 60 lb "10.0.0.3:8080" "an API server that is back"
  kubectl delete endpointslice -n shop orders-1 >/dev/null
  expect 5 forwards "has no EndpointSlices" "a service that is deleted"
  echo "interop k8s: all of it, with $("$apiserver" --version)"
}

stop_k8s() {
  local pid
  for pid in "${pids[@]}"; do
    kill "$pid" 2>/dev/null || true
  done
  wait
  rm -rf "$work"
}

# Starts the API server at the same port and over the same etcd, and waits until it is ready.
start_apiserver() {
  "$apiserver" --etcd-servers "http://127.0.0.1:$store" --bind-address 127.0.0.1 --secure-port "$api" --cert-dir "$work/certs" \
    --authorization-mode RBAC --token-auth-file "$work/tokens.csv" --service-cluster-ip-range 10.96.0.0/16 \
    --service-account-issuer https://kubernetes.default.svc --service-account-signing-key-file "$work/sa.key" \
    --service-account-key-file "$work/sa.key" >>"$work/apiserver.log" 2>&1 &
  apiserver_pid=$!
  pids+=("$apiserver_pid")
  local i
  for ((i = 0; i < 120; i++)); do
    curl -fsk -H "Authorization: Bearer token-of-admin" "https://127.0.0.1:$api/readyz" >/dev/null 2>&1 && return
    sleep 0.5
  done
  tail -n 5 "$work/apiserver.log" >&2
  fail "the API server does not become ready"
}

# Prints the kubeconfig of user $1. The certificate that the API server makes for itself is its own authority.
kubeconfig() {
  cat <<EOF
apiVersion: v1
kind: Config
current-context: here
contexts: [{name: here, context: {cluster: here, user: $1}}]
clusters: [{name: here, cluster: {server: "https://127.0.0.1:$api", certificate-authority: $work/certs/apiserver.crt}}]
users: [{name: $1, user: {token: token-of-$1}}]
EOF
}

# Writes the only slice of the service, with one ready endpoint.
slice() {
  kubectl apply -f - >/dev/null <<EOF
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: orders-1, namespace: shop, labels: {kubernetes.io/service-name: orders}}
addressType: IPv4
ports: [{name: grpc, port: 8080, protocol: TCP}]
endpoints: [{addresses: [$1], conditions: {ready: true}}]
EOF
}

# Waits $1 seconds at most until the sidecar's page /$2 has the text $3; then says $4.
expect() {
  local i
  for ((i = 0; i < $1 * 10; i++)); do
    if curl -fs "http://127.0.0.1:$admin/$2" 2>/dev/null | grep -qF "$3"; then
      [ -z "${4:-}" ] || echo "interop k8s: ok: $4"
      return
    fi
    sleep 0.1
  done
  curl -s "http://127.0.0.1:$admin/$2" >&2 || tail -n 5 "$work/outrigger.log" >&2
  fail "k8s: not within $1 s: \"$3\" in /$2"
}
