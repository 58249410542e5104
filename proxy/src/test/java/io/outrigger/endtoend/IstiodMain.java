package io.outrigger.endtoend;

import io.grpc.Status;
import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.outrigger.endtoend.IstiodMesh.Pod;
import io.outrigger.program.options.Flag;
import io.outrigger.testing.Await;
import io.outrigger.testing.TestIdentity;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A pod with Outrigger in the mesh of a real istiod ({@code scripts/interop istiod}): mutual TLS,
 * policies, changes under load, and an istiod that is killed. Prints what should be and what is;
 * ends with 1 when they differ.
 *
 * <p>Arguments: the {@code pilot-discovery} binary, and that of Envoy and of the client of istio's
 * echo, which is grpc-go without a proxy, each empty where there is none.
 */
final class IstiodMain extends Acceptance {
  private static final String METHOD = "test.Pay/Charge";
  private static final String HOST = "pay.shop.example";
  private static final String APP =
      "\n\003app"; // as a name; and as an EchoResponse, which says "app"
  private static final Pod PAY = new Pod("127.0.0.11", "pay", true);
  private static final Pod CART = new Pod("127.0.0.13", "cart", true);
  private static final Pod ENVOY = new Pod("127.0.0.12", "envoy", true);
  private static final Pod GO = new Pod("127.0.0.14", "go", true);
  private static final Pod OPEN = new Pod("127.0.0.15", "open", false);
  private static final Duration SETTLE = Duration.ofSeconds(2);
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final int CHANGES = 5;
  private static final int CALLS_PER_SECOND = 200;

  private final IstiodMesh istiod;
  private final Mesh server = new Mesh();
  private final Backend app = server.backend(APP).quiet();
  private final int port = IstiodMesh.freePort(); // of the app's pods
  private final int servicePort = IstiodMesh.freePort();
  private final String echo;
  private final Optional<EnvoySidecar> envoy;

  private IstiodMain(String program, String envoyBinary, String echo) throws IOException {
    this.echo = echo;
    istiod = new IstiodMesh(Path.of(program));
    envoy =
        envoyBinary.isEmpty()
            ? Optional.empty()
            : Optional.of(
                new EnvoySidecar(
                    Path.of(envoyBinary), istiod, ENVOY, identity("shop", ENVOY.name())));
  }

  public static void main(String[] args) throws Exception {
    new IstiodMain(args[0], args[1], args[2]).runAndExit();
  }

  @Override
  void rows() throws Exception {
    strict();
    policies();
    permissive();
    istiodDies();
  }

  @Override
  public void close() throws IOException {
    envoy.ifPresent(EnvoySidecar::close);
    server.close();
    istiod.close();
  }

  // The configuration of istiod.

  private String service(String name, int targetPort) {
    return """
        apiVersion: networking.istio.io/v1
        kind: ServiceEntry
        metadata: {name: %1$s, namespace: shop}
        spec:
          hosts: [%1$s.shop.example]
          addresses: [%4$s]
          ports: [{number: %2$d, name: grpc, protocol: GRPC, targetPort: %3$d}]
          location: MESH_INTERNAL
          resolution: STATIC
          workloadSelector: {labels: {app: %1$s}}
        """
        .formatted(name, servicePort, targetPort, name.equals("pay") ? "240.0.0.1" : "240.0.0.2");
  }

  private static String workload(Pod pod) {
    return """
        apiVersion: networking.istio.io/v1
        kind: WorkloadEntry
        metadata: {name: %s, namespace: shop}
        spec: {address: %s, serviceAccount: %s, labels: %s}
        """
        .formatted(pod.name(), pod.ip(), pod.name(), pod.labels());
  }

  private void mode(String mode) {
    istiod.apply(
        "mode",
        """
        apiVersion: security.istio.io/v1
        kind: PeerAuthentication
        metadata: {name: default, namespace: istio-system}
        spec: {mtls: {mode: %s}}
        """
            .formatted(mode));
  }

  private void policy(String name, String spec) {
    istiod.apply(
        "policy",
        """
        apiVersion: security.istio.io/v1
        kind: AuthorizationPolicy
        metadata: {name: %s, namespace: shop}
        spec: %s
        """
            .formatted(name, spec));
  }

  // The callers.

  private TestIdentity identity(String namespace, String account) {
    return istiod.root().issue("uri:spiffe://cluster.local/ns/" + namespace + "/sa/" + account);
  }

  private InetSocketAddress served() {
    return new InetSocketAddress(PAY.ip(), port);
  }

  private static App secured(InetSocketAddress server, TestIdentity caller) throws IOException {
    return App.secured(
        server,
        HOST,
        GrpcSslContexts.configure(SslContextBuilder.forClient())
            // A certificate of istio names a SPIFFE ID alone, and gRPC would look for the host.
            .trustManager(InsecureTrustManagerFactory.INSTANCE)
            .keyManager(caller.key(), caller.chain())
            .build());
  }

  private Status.Code secure(InetSocketAddress server) throws IOException {
    try (App peer = secured(server, identity("shop", CART.name()))) {
      return peer.call(METHOD).code();
    }
  }

  private static Status.Code plain(InetSocketAddress server) {
    try (var peer = new App(server)) {
      return peer.call(METHOD).code();
    }
  }

  private boolean opens() {
    try (var socket = new Socket()) {
      socket.connect(served(), 1_000);
      return true;
    } catch (ConnectException refused) {
      return false;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private String state() {
    return server
        .admin()
        .get("/listeners")
        .array()
        .get(0)
        .getAsJsonObject()
        .get("state")
        .getAsString();
  }

  private void awaitState(String what, String state) {
    Await.within(LONG, () -> state().equals(state));
    row(what, state, state());
  }

  // The rows of the table.

  private void strict() throws Exception {
    mode("STRICT");
    istiod.apply("pay", workload(PAY));
    server
        .with(Flag.FORWARD)
        .with(Flag.SERVE_DRAIN_SPREAD, "1s")
        .with(Flag.SERVE, PAY.ip() + ":" + port + "=127.0.0.1:" + app.port())
        .bootstrap(istiod.bootstrap(PAY));
    server.start();
    awaitState("no Service selects the pod", "NOT_SERVING");
    row("no Service: the port", "closed", opens() ? "open" : "closed");
    istiod.apply("service", service("pay", port));
    awaitState("a Service is created after the pod", "SERVING");
    Await.until("ready", () -> server.admin().get("/ready").status() == 200);

    row("STRICT: a peer with a certificate", "OK", secure(served()));
    row("STRICT: plain text", "UNAVAILABLE", plain(served()));

    istiod.apply("service", service("pay", port + 1));
    awaitState("targetPort is changed", "NOT_SERVING");
    istiod.apply("service", service("pay", port));
    awaitState("targetPort is changed back", "SERVING");
    forwarded();
    fromGo();
    throughEnvoy();
  }

  private void fromGo() throws Exception {
    if (echo.isEmpty()) {
      System.out.println("grpc-go without a proxy: skipped: ISTIO_ECHO names no client");
      return;
    }
    istiod.apply("go", workload(GO));
    var command =
        new ProcessBuilder(echo, "--timeout", "10s", "xds:///" + HOST + ":" + servicePort);
    command
        .environment()
        .put(
            "GRPC_XDS_BOOTSTRAP_CONFIG",
            istiod.bootstrapWithFiles(GO, identity("shop", GO.name())));
    Process process = command.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    row("grpc-go without a proxy calls", "ends with 0", "ends with " + process.waitFor());
    if (process.exitValue() != 0) {
      System.out.println(said);
    }
  }

  /** The Envoy is a sidecar of its own: it calls the pod, and later it is a pod of the app. */
  private void throughEnvoy() throws Exception {
    if (envoy.isEmpty()) {
      System.out.println("an Envoy sidecar: skipped: there is no envoy");
      return;
    }
    istiod.apply("envoy", workload(ENVOY));
    istiod.apply("envoy-service", service("envoy", port));
    istiod.apply(
        "sidecar",
        """
        apiVersion: networking.istio.io/v1
        kind: Sidecar
        metadata: {name: envoy, namespace: shop}
        spec:
          workloadSelector: {labels: {app: envoy}}
          ingress:
          - port: {number: %d, protocol: GRPC, name: grpc}
            bind: %s
            captureMode: NONE
            defaultEndpoint: 127.0.0.1:%d
          egress:
          - port: {number: %d, protocol: GRPC, name: grpc}
            bind: %s
            captureMode: NONE
            hosts: ["shop/*"]
        """
            .formatted(port, ENVOY.ip(), app.port(), servicePort, ENVOY.ip()));
    try (var caller = new App(new InetSocketAddress(ENVOY.ip(), servicePort), HOST)) {
      Await.within(LONG, () -> caller.call(METHOD).status().isOk());
      row("an Envoy sidecar calls", "OK", caller.call(METHOD).code());
    }
  }

  private void forwarded() throws Exception {
    istiod.apply("cart", workload(CART));
    try (var client = new Mesh()) {
      client
          .with(Flag.FORWARD, Mesh.FORWARD + "@127.0.0.1:0=xds:///" + HOST + ":" + servicePort)
          .bootstrap(istiod.bootstrap(CART));
      client.start();
      App caller = client.app();
      row("forward, no DestinationRule", "UNAVAILABLE", caller.call(METHOD).code());
      istiod.apply(
          "mutual",
          """
          apiVersion: networking.istio.io/v1
          kind: DestinationRule
          metadata: {name: mutual, namespace: istio-system}
          spec: {host: "*.example", trafficPolicy: {tls: {mode: ISTIO_MUTUAL}}}
          """);
      Await.within(LONG, () -> caller.call(METHOD).status().isOk());
      row("forward, ISTIO_MUTUAL", "OK", caller.call(METHOD).code());
    }
  }

  /** A request that is made under each policy, of that account of that namespace. */
  private record Request(String namespace, String account, String method, List<String> headers) {
    Request(String namespace, String account, String method, String... headers) {
      this(namespace, account, method, List.of(headers));
    }
  }

  private static final List<Request> REQUESTS =
      List.of(
          new Request("shop", "cart", "Charge"),
          new Request("shop", "ship", "Charge"),
          new Request("ops", "admin", "Charge"),
          new Request("shop", "cart", "Refund"),
          new Request("shop", "cart", "Charge", "x-team", "a"));

  /**
   * A policy and its verdicts on the requests, such as {@code +--++}.
   *
   * @param sidecar what istio means, and an Envoy sidecar does
   * @param grpc what a gRPC server does of what istiod sends to it
   */
  private record Policy(String spec, String sidecar, String grpc) {
    static Policy of(String spec, String both) {
      return new Policy(spec, both, both);
    }

    static Policy from(String source, String both) {
      return of("{rules: [{from: [{source: {" + source + "}}]}]}", both);
    }

    static Policy to(String operation, String both) {
      return of("{rules: [{to: [{operation: {" + operation + "}}]}]}", both);
    }

    static Policy when(String condition, String both) {
      return of("{rules: [{when: [{" + condition + "}]}]}", both);
    }
  }

  private List<Policy> allPolicies() {
    return List.of(
        Policy.from("principals: [cluster.local/ns/shop/sa/cart]", "+--++"),
        Policy.from("principals: [\"*/sa/cart\"]", "+--++"),
        Policy.from("principals: [\"cluster.local/ns/shop/*\"]", "++-++"),
        Policy.from("principals: [\"*\"]", "+++++"),
        Policy.from("notPrincipals: [cluster.local/ns/shop/sa/cart]", "-++--"),
        Policy.from("serviceAccounts: [shop/cart]", "+--++"),
        Policy.from("namespaces: [ops]", "--+--"),
        Policy.from("notNamespaces: [ops]", "++-++"),
        Policy.from("ipBlocks: [127.0.0.0/8]", "+++++"),
        Policy.from("ipBlocks: [10.0.0.0/8]", "-----"),
        Policy.from("notIpBlocks: [127.0.0.1]", "-----"),
        Policy.from("remoteIpBlocks: [127.0.0.0/8]", "+++++"),
        Policy.from("requestPrincipals: [\"*\"]", "-----"),
        Policy.to("paths: [/test.Pay/Charge]", "+++-+"),
        Policy.to("paths: [\"/test.Pay/*\"]", "+++++"),
        Policy.to("paths: [\"*/Refund\"]", "---+-"),
        Policy.to("notPaths: [/test.Pay/Refund]", "+++-+"),
        Policy.to("methods: [POST]", "+++++"),
        Policy.to("notMethods: [POST]", "-----"),
        Policy.to("hosts: [\"" + HOST + "\"]", "+++++"),
        Policy.to("notHosts: [\"*.example\"]", "-----"),
        Policy.to("ports: [\"" + port + "\"]", "+++++"),
        Policy.to("notPorts: [\"" + port + "\"]", "-----"),
        Policy.when("key: \"request.headers[x-team]\", values: [a]", "----+"),
        Policy.when("key: \"request.headers[x-team]\", notValues: [a]", "++++-"),
        Policy.when("key: \"request.headers[x-team]\", values: [\"*\"]", "----+"),
        Policy.when("key: source.principal, values: [cluster.local/ns/shop/sa/ship]", "-+---"),
        Policy.when("key: source.namespace, notValues: [shop]", "--+--"),
        Policy.when("key: source.ip, values: [127.0.0.1]", "+++++"),
        Policy.when("key: destination.ip, values: [127.0.0.0/8]", "+++++"),
        Policy.when("key: destination.port, values: [\"" + port + "\"]", "+++++"),
        Policy.when("key: \"request.auth.claims[iss]\", values: [a]", "-----"),
        Policy.of("{rules: [{}]}", "+++++"),
        Policy.of(
            "{action: DENY, rules: [{from: [{source: {namespaces: [ops]}}],"
                + " to: [{operation: {methods: [POST]}}]}, {to: [{operation: {paths:"
                + " [/test.Pay/Refund]}}]}]}",
            "++--+"),
        Policy.of(
            "{action: DENY, rules: [{when: [{key: \"request.headers[x-team]\", values: [a]}]}]}",
            "++++-"),
        Policy.of("{action: DENY, rules: [{}]}", "-----"),
        Policy.of("{action: AUDIT, rules: [{}]}", "+++++"),
        // An authorizer that is not there: a sidecar denies; gRPC gets nothing.
        new Policy("{action: CUSTOM, provider: {name: gone}, rules: [{}]}", "-----", "+++++"),
        // An alias of the mesh's trust domain; gRPC gets the name as it is written.
        new Policy(
            "{rules: [{from: [{source: {principals: [old.example/ns/shop/sa/cart]}}]}]}",
            "+--++",
            "-----"),
        new Policy("{}", "-----", "+++++"), // no rules allow nothing; gRPC gets no filter
        // A JWT can be checked by a sidecar alone, but neither of the two has one.
        Policy.of(
            "{action: DENY, rules: [{from: [{source: {notRequestPrincipals: [\"*\"]}}]}]}",
            "-----"),
        // gRPC has no name of TLS to compare.
        new Policy(
            "{rules: [{when: [{key: connection.sni, values: [\"" + HOST + "\"]}]}]}",
            "+++++",
            "-----"),
        Policy.to("paths: [/test.Pay/Charge]", "+++-+"),
        // gRPC refuses the Listener, and what was before stays in force.
        new Policy(
            "{rules: [{to: [{operation: {paths: [\"/test.Pay/{*}\"]}}]}]}", "+++++", "+++-+"));
  }

  private void policies() throws Exception {
    String before = "none";
    int number = 0;
    for (Policy policy : allPolicies()) {
      String name = "case" + number++;
      policy(name, policy.spec());
      String old = before;
      Await.within(
          SETTLE, () -> !envoySays("policy[" + old + "]") && envoySays("policy[" + name + "]"));
      Await.within(SETTLE, () -> !ourListener("shop-" + old) && ourListener("shop-" + name));
      String sidecar = envoy.isPresent() ? verdicts(ENVOY) : policy.sidecar();
      String ours = verdicts(PAY);
      boolean fine = sidecar.equals(policy.sidecar()) && ours.equals(policy.grpc());
      count(fine);
      System.out.printf(
          "%-90s %s %s %s%s%n",
          policy.spec(),
          sidecar,
          ours,
          sidecar.equals(ours) ? "" : "a trap",
          fine ? "" : " DIFFERS: wanted " + policy.sidecar() + " and " + policy.grpc());
      before = name;
    }
    String error = "/config_dump has the name of the policy and \"uri_template\"";
    boolean named = ourListener("shop-" + before + "-0") && ourListener("uri_template");
    row("path template: the Listener is refused", error, named ? error : "it has not");
    istiod.remove("policy");
  }

  private boolean envoySays(String text) {
    return envoy.isPresent()
        && envoy.get().admin().get("/config_dump?mask=dynamic_listeners").body().contains(text);
  }

  private boolean ourListener(String text) {
    return server.admin().get("/config_dump").body().contains(text);
  }

  private String verdicts(Pod pod) throws IOException {
    var verdicts = new StringBuilder();
    for (Request request : REQUESTS) {
      TestIdentity caller = identity(request.namespace(), request.account());
      try (App peer = secured(new InetSocketAddress(pod.ip(), port), caller)) {
        Status.Code code =
            peer.call("test.Pay/" + request.method(), request.headers().toArray(String[]::new))
                .code();
        verdicts.append(
            switch (code) {
              case OK -> '+';
              case PERMISSION_DENIED -> '-';
              default -> '?';
            });
      }
    }
    return verdicts.toString();
  }

  private void permissive() throws Exception {
    mode("PERMISSIVE");
    try (var open = new Mesh();
        var client = new Mesh()) {
      istiod.apply("open", workload(OPEN));
      istiod.apply("open-service", service("open", port));
      open.with(Flag.FORWARD)
          .with(Flag.SERVE, OPEN.ip() + ":" + port + "=127.0.0.1:" + app.port())
          .bootstrap(istiod.bootstrap(OPEN));
      open.startReady();
      var address = new InetSocketAddress(OPEN.ip(), port);
      row("PERMISSIVE, label: a certificate", "OK", secure(served()));
      row("PERMISSIVE, label: plain text", "UNAVAILABLE", plain(served()));
      row("PERMISSIVE, no label: a certificate", "UNAVAILABLE", secure(address));
      row("PERMISSIVE, no label: plain text", "OK", plain(address));

      startClient(client);
      try (Load load = client.load(client.app(), METHOD, CALLS_PER_SECOND)) {
        mode("STRICT");
        Await.within(LONG, () -> secure(address) == Status.Code.OK);
        row("STRICT now, no label: a certificate", "OK", secure(address));
        row("STRICT now, no label: plain text", "UNAVAILABLE", plain(address));
        for (int change = 0; change < CHANGES; change++) {
          policy("change" + change, "{rules: [{from: [{source: {namespaces: [shop]}}]}]}");
          String name = "shop-change" + change;
          Await.until(name, () -> ourListener(name));
          load.awaitMore(APP, CALLS_PER_SECOND / 2);
        }
        istiod.remove("policy");
        load.awaitMore(APP, CALLS_PER_SECOND);
        row("to STRICT, " + CHANGES + " policies, under load: failed calls", "{}", load.failures());
      }
    }
  }

  private void startClient(Mesh client) throws Exception {
    client
        .with(Flag.FORWARD, Mesh.FORWARD + "@127.0.0.1:0=xds:///" + HOST + ":" + servicePort)
        .bootstrap(istiod.bootstrap(CART));
    client.startReady();
  }

  private void istiodDies() throws Exception {
    try (var client = new Mesh();
        var late = new Mesh()) {
      startClient(client);
      try (Load load = client.load(client.app(), METHOD, CALLS_PER_SECOND)) {
        load.awaitMore(APP, CALLS_PER_SECOND);
        istiod.kill();
        load.awaitMore(APP, CALLS_PER_SECOND);
        row("istiod is killed: the state", "SERVING", state());
        row("istiod is killed: a new connection", "OK", secure(served()));
        late.with(Flag.FORWARD)
            .with(Flag.SERVE, OPEN.ip() + ":" + port + "=127.0.0.1:" + app.port())
            .bootstrap(istiod.bootstrap(OPEN));
        late.start();
        row("a pod that starts meanwhile: /ready", 503, late.admin().get("/ready").status());
        istiod.revive();
        Await.within(LONG, () -> late.admin().get("/ready").status() == 200);
        row("istiod is back: that pod's /ready", 200, late.admin().get("/ready").status());
        load.awaitMore(APP, CALLS_PER_SECOND);
        row("killed and back under load: failed calls", "{}", load.failures());
      }
    }
    policy("closed", "{action: DENY, rules: [{}]}");
    Await.within(LONG, () -> secure(served()) == Status.Code.PERMISSION_DENIED);
    row("a policy after that", "PERMISSION_DENIED", secure(served()));
  }
}
