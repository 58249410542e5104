package io.outrigger.endtoend;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.outrigger.base.WaitingClock;
import io.outrigger.program.options.Flag;
import io.outrigger.program.testing.KubernetesManifests;
import io.outrigger.program.testing.KubernetesManifests.Manifest;
import io.outrigger.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * {@code k8s:///} targets beside a real API server and etcd ({@code scripts/interop k8s}): the
 * manifests, rights, a rollout under load, an API server that is killed, and lost history. Prints
 * what should be and what is; ends with 1 when they differ.
 *
 * <p>The API server takes no addresses of loopback as endpoints, so the pods are in 10.0.0.0/24,
 * which the network namespace of this process has.
 *
 * <p>Arguments: the {@code kube-apiserver} binary and that of etcd.
 */
final class KubernetesMain extends Acceptance {
  private static final String METHOD = "test.Pay/Charge";
  private static final String RIGHTS = "/apis/rbac.authorization.k8s.io/v1/namespaces/shop/";
  private static final String SLICES = "/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices/";
  private static final Duration SOON = Duration.ofSeconds(2);
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration A_WATCH = Duration.ofSeconds(130); // the longest, and its pause
  private static final Duration POLL = Duration.ofMillis(200);
  private static final int PODS = 8;
  private static final int PORT = 8080;
  private static final int CALLS_PER_SECOND = 200;

  private final RealApiServer api;
  private final Mesh sidecar = new Mesh();
  private final List<Backend> pods = new ArrayList<>();
  private final Map<String, App> apps = new HashMap<>(); // by forward

  private KubernetesMain(Path apiServer, Path etcd) throws Exception {
    api = new RealApiServer(apiServer, etcd);
    for (int i = 1; i <= PODS; i++) {
      pods.add(sidecar.backend("b" + i, "10.0.0." + i, PORT).quiet());
    }
  }

  public static void main(String[] args) throws Exception {
    new KubernetesMain(Path.of(args[0]), Path.of(args[1])).runAndExit();
  }

  @Override
  void rows() throws Exception {
    manifests();
    rights();
    services();
    rollout();
    bookmarks();
    restarts();
    tokens();
    requests();
  }

  @Override
  public void close() throws IOException {
    sidecar.close();
    api.close();
  }

  // The objects of the cluster.

  private void namespace(String name, String labels) throws Exception {
    api.apply(
        "/api/v1/namespaces/" + name,
        "{apiVersion: v1, kind: Namespace, metadata: {name: %s, labels: {%s}}}"
            .formatted(name, labels));
  }

  private void account(String namespace, String name) throws Exception {
    api.apply(
        "/api/v1/namespaces/" + namespace + "/serviceaccounts/" + name,
        "{apiVersion: v1, kind: ServiceAccount, metadata: {name: %s}}".formatted(name));
  }

  private void role(String rules) throws Exception {
    api.apply(
        RIGHTS + "roles/outrigger",
        """
        {apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: outrigger},
         rules: [%s]}
        """
            .formatted(rules));
  }

  private static String may(String group, String resource, String verbs) {
    return "{apiGroups: [\"%s\"], resources: [%s], verbs: [%s]}".formatted(group, resource, verbs);
  }

  /** Writes the slice of the service: each pod is its number, with a ~ when it terminates. */
  private void slice(String... numbers) throws Exception {
    String endpoints =
        List.of(numbers).stream()
            .map(
                number ->
                    "{addresses: [10.0.0.%s], conditions: {ready: %s, serving: true, terminating: %s}}"
                        .formatted(
                            number.replace("~", ""), !number.endsWith("~"), number.endsWith("~")))
            .collect(Collectors.joining(", "));
    api.apply(
        SLICES + "orders-1",
        """
        {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, addressType: IPv4,
         metadata: {name: orders-1, labels: {kubernetes.io/service-name: orders}},
         ports: [{name: grpc, port: %d, protocol: TCP}], endpoints: [%s]}
        """
            .formatted(PORT, endpoints));
  }

  // The behavior of the sidecar.

  private App app(String forward) {
    return apps.computeIfAbsent(forward, name -> sidecar.keep(new App(sidecar.address(name))));
  }

  private String said(String forward) {
    return app(forward).call(METHOD).message();
  }

  private void awaitSaid(String what, String forward, String text) {
    Await.within(LONG, () -> said(forward).contains(text));
    String message = said(forward);
    row(what, text, message.contains(text) ? text : message);
  }

  private void awaitEvent(String what, String text) {
    boolean told =
        Await.within(LONG, () -> sidecar.admin().get("/events?format=json").body().contains(text));
    row(what, text, told ? text : "not told");
  }

  /** Which pods answer twenty calls. */
  private String answering(App app) {
    return IntStream.range(0, 20)
        .mapToObj(i -> app.call(METHOD))
        .map(reply -> reply.status().isOk() ? reply.backend() : reply.code().toString())
        .collect(Collectors.toCollection(TreeSet::new))
        .toString();
  }

  private void awaitAnswering(String what, App app, Duration limit, String... backends) {
    String wanted = List.of(backends).toString();
    Await.within(limit, () -> answering(app).equals(wanted));
    row(what, wanted, answering(app));
  }

  // The rows of the table.

  /**
   * Creates each manifest, and a pod of each workload, without keeping them. The namespace is one
   * of Pod Security {@code restricted}. The admission policies are in force.
   */
  private void manifests() throws Exception {
    namespace("shop", "");
    namespace("apps", "pod-security.kubernetes.io/enforce: restricted");
    for (String account : List.of("default", "shop")) {
      account("apps", account);
    }
    List<Manifest> all = new ArrayList<>(KubernetesManifests.all());
    String page = Files.readString(Path.of("..", "docs", "use", "kubernetes.md"));
    String role = page.substring(page.indexOf("```yaml") + "```yaml".length());
    all.addAll(
        KubernetesManifests.documents("kubernetes.md", role.substring(0, role.indexOf("```"))));
    List<String> refused = new ArrayList<>();
    for (Manifest manifest : all) {
      refused.addAll(refused(manifest.toString(), manifest.object()));
      if (manifest.kind().startsWith("MutatingAdmissionPolicy")) {
        api.apply(path(manifest.object()), manifest.object().toString());
      }
    }
    row("manifests that are refused", List.of(), refused);

    List<JsonObject> pods = all.stream().flatMap(each -> each.pod().stream()).toList();
    Await.within(LONG, () -> withoutSidecar(pods).isEmpty());
    row("their pods without a sidecar", List.of(), withoutSidecar(pods));
  }

  private List<String> withoutSidecar(List<JsonObject> pods) throws Exception {
    List<String> without = new ArrayList<>();
    for (JsonObject pod : pods) {
      pod.getAsJsonObject("metadata").addProperty("name", "pod");
      without.addAll(refused("pod", pod));
      if (!create(pod).body().contains("\"name\":\"outrigger\",\"image\"")) {
        without.add(pod.toString());
      }
    }
    return without;
  }

  private List<String> refused(String what, JsonObject object) throws Exception {
    RealApiServer.Answer answer = create(object);
    return answer.status() < 300 && answer.warnings().isEmpty()
        ? List.of()
        : List.of(what + ": " + answer.body() + " " + answer.warnings());
  }

  private RealApiServer.Answer create(JsonObject object) throws Exception {
    String path = path(object) + "?fieldManager=test&dryRun=All&fieldValidation=Strict";
    return api.request("PATCH", path, object.toString());
  }

  private static String path(JsonObject object) {
    String version = object.get("apiVersion").getAsString();
    String kind = object.get("kind").getAsString().toLowerCase(Locale.ROOT);
    JsonObject metadata = object.getAsJsonObject("metadata");
    JsonElement namespace = metadata.get("namespace");
    return (version.equals("v1") ? "/api/" : "/apis/")
        + version
        + (kind.startsWith("mutating")
            ? "/"
            : "/namespaces/" + (namespace == null ? "apps" : namespace.getAsString()) + "/")
        + (kind.endsWith("y") ? kind.substring(0, kind.length() - 1) + "ies" : kind + "s")
        + "/"
        + metadata.get("name").getAsString();
  }

  private void rights() throws Exception {
    account("shop", "outrigger");
    api.writeToken(api.token("shop", "outrigger"));
    sidecar
        .withoutBootstrap()
        .with(
            Flag.FORWARD,
            Mesh.FORWARD + "@127.0.0.1:0=k8s:///orders.shop:grpc",
            "service@127.0.0.1:0=k8s:///orders.shop:80")
        .with(Flag.KUBECONFIG, api.kubeconfig().toString())
        .start();
    awaitSaid("no Role", Mesh.FORWARD, "(it lacks list)");

    api.apply(
        RIGHTS + "rolebindings/outrigger",
        """
        {apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: outrigger},
         roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: outrigger},
         subjects: [{kind: ServiceAccount, name: outrigger, namespace: shop}]}
        """);
    role(may("discovery.k8s.io", "endpointslices", "get, list"));
    awaitSaid("a Role that lacks watch", Mesh.FORWARD, "(it lacks watch)");
    slice("1");
    App app = app(Mesh.FORWARD);
    awaitAnswering("a Role that lacks watch: a new slice, listed", app, LONG, "b1");

    role(may("discovery.k8s.io", "endpointslices", "get, list, watch"));
    Await.within(LONG, () -> watches() == 1);
    slice("2");
    awaitAnswering("the three verbs: a changed slice", app, SOON, "b2");
    api.delete(SLICES + "orders-1");
    awaitSaid("the Service is deleted", Mesh.FORWARD, "has no EndpointSlices");
    slice("1", "2");
    awaitAnswering("the Service is back", app, SOON, "b1", "b2");
  }

  /** Watches that the API server serves to the sidecar at this moment. */
  private long watches() throws Exception {
    WaitingClock.sleep(POLL); // the answer is long
    return api.request("GET", "/metrics", "")
        .body()
        .lines()
        .filter(line -> line.startsWith("apiserver_longrunning_requests{"))
        .filter(line -> line.contains("resource=\"endpointslices\""))
        .filter(line -> line.contains("scope=\"namespace\""))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  private void services() throws Exception {
    awaitSaid("a Service's port, without the right", "service", "allow the verb get on services");
    api.apply(
        "/api/v1/namespaces/shop/services/orders",
        """
        {apiVersion: v1, kind: Service, metadata: {name: orders},
         spec: {clusterIP: None, ports: [{name: grpc, port: 80, targetPort: 8080}]}}
        """);
    role(
        may("discovery.k8s.io", "endpointslices", "get, list, watch")
            + ", "
            + may("", "services", "get"));
    App app = app("service");
    awaitAnswering("a Service's port, with the right", app, LONG, "b1", "b2");
  }

  /** Pods are replaced one after the other; the old ones drain. */
  private void rollout() throws Exception {
    slice("1", "2");
    try (Load load = sidecar.load(sidecar.app(), METHOD, CALLS_PER_SECOND)) {
      load.awaitMore("b2", 20);
      int late = 0;
      for (int i = 1; i <= PODS - 2; i++) {
        String old = "" + i;
        String kept = "" + (i + 1);
        String added = "" + (i + 2);
        slice(old + "~", kept, added);
        late += Await.within(SOON, () -> load.by("b" + added) > 0) ? 0 : 1;
        load.awaitMore("b" + added, CALLS_PER_SECOND / 4);
        slice(kept, added);
        load.awaitMore("b" + added, CALLS_PER_SECOND / 4);
        pods.get(i - 1).close();
      }
      row("a rollout under load: pods without a call after 2 s", 0, late);
      row("a rollout under load: failed calls", "{}", load.failures());
    }
  }

  /** Without bookmarks, the next watch would begin at the version of the last slice. */
  private void bookmarks() throws Exception {
    slice("7");
    String version = api.request("GET", SLICES + "orders-1", "").body();
    long last =
        Long.parseLong(version.replaceAll("(?s).*\"resourceVersion\": ?\"(\\d+)\".*", "$1"));
    int before = api.watches().size();
    boolean later =
        Await.within(
            A_WATCH,
            () -> {
              noise(); // a bookmark tells the version of the last slice of any namespace
              WaitingClock.sleep(POLL);
              return api.watches().size() > before;
            });
    row("a watch ends after its time", true, later);
    List<String> uris = api.watches();
    long from =
        Long.parseLong(uris.get(uris.size() - 1).replaceAll(".*resourceVersion=(\\d+).*", "$1"));
    row("the next one begins at a bookmark", true, from > last);
  }

  private void noise() throws Exception {
    api.apply(
        SLICES.replace("shop", "default") + "noise",
        """
        {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, addressType: IPv4, endpoints: [],
         ports: [], metadata: {name: noise, annotations: {n: "%d"}}}
        """
            .formatted(WaitingClock.nanoTime()));
  }

  private void restarts() throws Exception {
    App app = app(Mesh.FORWARD);
    api.kill();
    awaitEvent("the API server is killed", "cannot watch endpointslices in namespace");
    awaitAnswering("meanwhile: the pods that answer", app, SOON, "b7");
    api.revive();
    Await.within(LONG, () -> watches() == 1);
    slice("8");
    awaitAnswering("it is back: a changed slice", app, SOON, "b8");

    try (Load load = sidecar.load(sidecar.app(), METHOD, CALLS_PER_SECOND)) {
      for (int i = 0; i < 3; i++) {
        long lists = listsSoFar();
        api.kill();
        api.compact();
        api.revive();
        Await.within(LONG, () -> listsSoFar() > lists && watches() == 1);
        row("killed, its history gone: lists", lists + 1, listsSoFar());
        slice(i % 2 == 0 ? "7" : "8");
        awaitAnswering("a changed slice", app, SOON, i % 2 == 0 ? "b7" : "b8");
      }
      row("killed three times: failed calls", "{}", load.failures());
    }
  }

  private long listsSoFar() throws IOException {
    return api.audited().stream().filter("list endpointslices 200"::equals).count();
  }

  /** A service account that is deleted takes its tokens with it. */
  private void tokens() throws Exception {
    App app = app(Mesh.FORWARD);
    api.delete("/api/v1/namespaces/shop/serviceaccounts/outrigger");
    api.kill();
    api.revive();
    // with a 401 over HTTP/2 comes a GOAWAY, which hides it from clients of Java 17 to 23
    boolean hidesIt = Runtime.version().feature() < 24;
    awaitEvent(
        "a token that is no longer valid",
        hidesIt ? "GOAWAY received" : "401: Unauthorized; the credentials have expired");
    awaitAnswering("meanwhile: the pods that answer", app, SOON, "b7");
    account("shop", "outrigger");
    api.writeToken(api.token("shop", "outrigger"));
    Await.within(LONG, () -> watches() == 1);
    slice("7", "8");
    awaitAnswering("a new token in the file: a changed slice", app, SOON, "b7", "b8");
  }

  private void requests() throws Exception {
    TreeSet<String> kinds =
        api.audited().stream()
            .map(request -> request.substring(0, request.lastIndexOf(' ')))
            .collect(Collectors.toCollection(TreeSet::new));
    row(
        "what was asked for, all in all",
        "[get services, list endpointslices, watch endpointslices]",
        kinds);
  }
}
