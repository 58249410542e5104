package io.outrigger.xds.testing;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.outrigger.base.AnyThread;
import io.outrigger.identity.certificate.PeerTrustManager;
import io.outrigger.testing.Await;
import io.outrigger.testing.TestIdentity;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.TrustManager;

/**
 * A Kubernetes API server that knows EndpointSlices: lists, and watches as chunked responses over
 * HTTP/1.1. Requests need {@link #TOKEN}; the test can change each answer.
 */
@AnyThread
public final class ScriptedApiServer implements AutoCloseable {
  public static final String TOKEN = "a.secret.token";

  private static final String PATH = "/apis/discovery.k8s.io/v1/namespaces/";
  private static final byte[] CUT = {};
  private static final byte[] END = {0};

  private final SSLContext tls;
  private final int port;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final Map<String, JsonObject> slices = new TreeMap<>(); // by namespace/name
  private final Map<String, JsonObject> services = new HashMap<>(); // by path
  private final List<JsonObject> deleted = new ArrayList<>();
  private final Set<String> clients = new HashSet<>();
  private final List<Watcher> watchers = new ArrayList<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final Map<String, Refusal> refusals = new HashMap<>(); // by verb
  private final Map<String, Supplier<InputStream>> bodies = new HashMap<>(); // by verb
  private final List<Integer> watchSeconds = new CopyOnWriteArrayList<>();
  private final AtomicInteger connections = new AtomicInteger();
  private Set<String> tokens = new HashSet<>(Set.of(TOKEN));
  private HttpServer server;
  private int version = 100;
  private int oldest;
  private boolean silent;
  private boolean needsCertificate;

  private record Refusal(int status, String message) {}

  private record Watcher(
      String namespace,
      Set<String> services,
      boolean takesBookmarks,
      LinkedBlockingQueue<byte[]> events) {}

  /** Serves over TLS at a port of 127.0.0.1. */
  public ScriptedApiServer(TestIdentity identity) {
    tls = context(identity);
    server = open(0);
    port = server.getAddress().getPort();
  }

  private static SSLContext context(TestIdentity identity) {
    try {
      char[] noPassword = {};
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, noPassword);
      store.setKeyEntry(
          "server", identity.key(), noPassword, identity.chain().toArray(Certificate[]::new));
      KeyManagerFactory factory = KeyManagerFactory.getInstance("PKIX");
      factory.init(store, noPassword);
      SSLContext context = SSLContext.getInstance("TLS");
      TrustManager anyone = new PeerTrustManager((chain, name) -> Optional.empty());
      context.init(factory.getKeyManagers(), new TrustManager[] {anyone}, null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new AssertionError(e);
    }
  }

  private HttpServer open(int at) {
    try {
      HttpsServer opened =
          HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), at), 0);
      opened.setHttpsConfigurator(
          new HttpsConfigurator(tls) {
            @Override
            public void configure(HttpsParameters parameters) {
              connections.incrementAndGet();
              SSLParameters settings = tls.getDefaultSSLParameters();
              settings.setWantClientAuth(needsCertificate);
              parameters.setSSLParameters(settings);
            }
          });
      opened.createContext("/", this::serve);
      opened.setExecutor(threads);
      opened.start();
      return opened;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Writes a kubeconfig for this server and {@link #TOKEN} into {@code folder}.
   *
   * @param rootPem the authority of its certificate
   */
  public Path writeKubeconfig(Path folder, String rootPem) throws IOException {
    Files.writeString(folder.resolve("ca.crt"), rootPem);
    Files.writeString(folder.resolve("token"), TOKEN + "\n");
    return Files.writeString(
        folder.resolve("config"),
        """
        {current-context: x, contexts: [{name: x, context: {cluster: c, user: u}}],
         clusters: [{name: c, cluster: {server: "%s", certificate-authority: ca.crt}}],
         users: [{name: u, user: {tokenFile: token}}]}
        """
            .formatted(uri()));
  }

  public String uri() {
    return "https://127.0.0.1:" + port;
  }

  /** Adds a slice, or replaces the one of that name. */
  public synchronized ScriptedApiServer put(SliceText slice) {
    String key = slice.namespace() + "/" + slice.name();
    String type = slices.containsKey(key) ? "MODIFIED" : "ADDED";
    JsonObject json = slice.json(++version);
    JsonObject before = slices.put(key, json);
    tell(before == null ? type : "MODIFIED", json);
    return this;
  }

  /** Adds a Service with one port, or replaces the one of that name. */
  public synchronized void putService(String namespace, String name, String portName, int port) {
    var entry = new JsonObject();
    entry.addProperty("name", portName);
    entry.addProperty("port", port);
    var ports = new JsonArray();
    ports.add(entry);
    var spec = new JsonObject();
    spec.add("ports", ports);
    var service = new JsonObject();
    service.add("spec", spec);
    services.put("/api/v1/namespaces/" + namespace + "/services/" + name, service);
  }

  public synchronized void delete(String namespace, String name) {
    JsonObject json = slices.remove(namespace + "/" + name);
    json.getAsJsonObject("metadata").addProperty("resourceVersion", "" + ++version);
    deleted.add(json);
    tell("DELETED", json);
  }

  /** Sends every watch that has asked for bookmarks one with a version of its own. */
  public synchronized void bookmark() {
    var metadata = new JsonObject();
    metadata.addProperty("resourceVersion", "" + ++version);
    var object = new JsonObject();
    object.add("metadata", metadata);
    watchers.stream()
        .filter(watcher -> watcher.takesBookmarks)
        .forEach(watcher -> watcher.events.add(event("BOOKMARK", object)));
  }

  /** Ends every watch with an error event, as a server does whose history is lost. */
  public synchronized void expireWatches() {
    oldest = ++version;
    watchers.forEach(watcher -> watcher.events.add(expired()));
  }

  /** Forgets the history: a watch from an earlier version gets the status 410. */
  public synchronized void forgetHistory() {
    oldest = ++version;
  }

  /** Cuts every watch amid the response. */
  public synchronized void cutWatches() {
    watchers.forEach(watcher -> watcher.events.add(CUT));
  }

  /** Ends every watch as if its time were over. */
  public synchronized void endWatches() {
    watchers.forEach(watcher -> watcher.events.add(END));
  }

  /** From now on requests with this verb are refused: {@code list}, {@code watch}, {@code get}. */
  public synchronized void refuse(String verb, int status, String message) {
    refusals.put(verb, new Refusal(status, message));
  }

  /** From now on requests with this verb get 200 and this body. */
  public synchronized void answer(String verb, Supplier<InputStream> body) {
    bodies.put(verb, body);
  }

  private synchronized Optional<Supplier<InputStream>> body(String verb) {
    return Optional.ofNullable(bodies.get(verb));
  }

  public synchronized void refuseNothing() {
    refusals.clear();
    bodies.clear();
  }

  /** From now on these tokens alone are taken; none: no token is asked for. */
  public synchronized void takeTokens(String... taken) {
    tokens = Set.of(taken);
  }

  /** From now on a client certificate is asked for. */
  public synchronized void askForCertificate() {
    needsCertificate = true;
  }

  /** From now on requests are read and nothing is said. */
  public synchronized void keepSilent(boolean now) {
    silent = now;
  }

  /** Is gone: its connections end and its port is closed. */
  public void stop() {
    cutWatches();
    server.stop(0);
  }

  /** Is back at the same port. */
  public void restart() {
    server = Await.bound(() -> open(port));
  }

  /** Such as {@code list shop orders}, {@code watch shop orders,pay from 103}; in their order. */
  public List<String> requests() {
    return List.copyOf(requests);
  }

  public long requests(String verb) {
    return requests.stream().filter(request -> request.startsWith(verb)).count();
  }

  /** The {@code timeoutSeconds} of the watches, in their order. */
  public List<Integer> watchSeconds() {
    return List.copyOf(watchSeconds);
  }

  /** How many connections were made. */
  public int connections() {
    return connections.get();
  }

  /** The subjects of the certificates that clients have shown. */
  public synchronized Set<String> clients() {
    return Set.copyOf(clients);
  }

  public synchronized int watches() {
    return watchers.size();
  }

  private void tell(String type, JsonObject json) {
    JsonObject metadata = json.getAsJsonObject("metadata");
    watchers.stream()
        .filter(watcher -> isFor(watcher.namespace, watcher.services, metadata))
        .forEach(watcher -> watcher.events.add(event(type, json)));
  }

  private static boolean isFor(String namespace, Set<String> services, JsonObject metadata) {
    String service =
        metadata.getAsJsonObject("labels").get("kubernetes.io/service-name").getAsString();
    return metadata.get("namespace").getAsString().equals(namespace) && services.contains(service);
  }

  private static byte[] event(String type, JsonObject object) {
    var event = new JsonObject();
    event.addProperty("type", type);
    event.add("object", object);
    return (event + "\n").getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] expired() {
    var status = new JsonObject();
    status.addProperty("kind", "Status");
    status.addProperty("code", 410);
    status.addProperty("message", "too old resource version");
    return event("ERROR", status);
  }

  private void serve(HttpExchange exchange) throws IOException {
    try (exchange) {
      noteClient((HttpsExchange) exchange);
      if (exchange.getRequestURI().getPath().startsWith("/api/")) {
        serveService(exchange);
        return;
      }
      Map<String, String> query = query(exchange);
      boolean isWatch = query.containsKey("watch");
      String verb = isWatch ? "watch" : "list";
      String path = exchange.getRequestURI().getPath();
      String namespace =
          path.startsWith(PATH) ? path.substring(PATH.length()).split("/", 2)[0] : "?";
      Set<String> services = services(query.getOrDefault("labelSelector", ""));
      requests.add(
          verb
              + " "
              + namespace
              + " "
              + String.join(",", services.stream().sorted().toList())
              + (query.getOrDefault("resourceVersion", "").isEmpty()
                  ? ""
                  : " from " + query.get("resourceVersion")));
      if (isSilent()) {
        hang();
      }
      Optional<Refusal> refusal = refusal(exchange, verb);
      if (refusal.isPresent()) {
        answer(exchange, refusal.get());
      } else if (body(verb).isPresent()) {
        exchange.sendResponseHeaders(200, 0);
        body(verb).get().get().transferTo(exchange.getResponseBody());
      } else if (isWatch) {
        watchSeconds.add(Integer.parseInt(query.get("timeoutSeconds")));
        boolean takesBookmarks = "true".equals(query.get("allowWatchBookmarks"));
        var watcher = new Watcher(namespace, services, takesBookmarks, new LinkedBlockingQueue<>());
        watch(exchange, watcher, Integer.parseInt(query.get("resourceVersion")));
      } else {
        answer(exchange, 200, list(namespace, services));
      }
    }
  }

  private void serveService(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    requests.add("get " + path);
    Optional<Refusal> refusal = refusal(exchange, "get");
    JsonObject service;
    synchronized (this) {
      service = services.get(path);
    }
    if (refusal.isPresent()) {
      answer(exchange, refusal.get());
    } else if (service == null) {
      answer(exchange, new Refusal(404, "not found"));
    } else {
      answer(exchange, 200, service);
    }
  }

  private synchronized void noteClient(HttpsExchange exchange) {
    try {
      clients.add(exchange.getSSLSession().getPeerPrincipal().getName());
    } catch (SSLPeerUnverifiedException none) {
      return;
    }
  }

  private synchronized boolean isSilent() {
    return silent;
  }

  private static void hang() throws IOException {
    try {
      Thread.sleep(600_000);
    } catch (InterruptedException stopped) {
      throw new IOException("stopped", stopped);
    }
  }

  private synchronized Optional<Refusal> refusal(HttpExchange exchange, String verb) {
    String given = exchange.getRequestHeaders().getFirst("authorization");
    boolean isKnown =
        tokens.isEmpty() || (given != null && tokens.contains(given.replace("Bearer ", "")));
    return isKnown
        ? Optional.ofNullable(refusals.get(verb))
        : Optional.of(new Refusal(401, "Unauthorized"));
  }

  private static void answer(HttpExchange exchange, Refusal refusal) throws IOException {
    var status = new JsonObject();
    status.addProperty("kind", "Status");
    status.addProperty("message", refusal.message);
    status.addProperty("code", refusal.status);
    answer(exchange, refusal.status, status);
  }

  private static void answer(HttpExchange exchange, int status, JsonObject json)
      throws IOException {
    byte[] body = (json + "\n").getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("content-type", "application/json");
    exchange.sendResponseHeaders(status, body.length);
    exchange.getResponseBody().write(body);
  }

  private synchronized JsonObject list(String namespace, Set<String> services) {
    var items = new JsonArray();
    slices.values().stream()
        .filter(slice -> isFor(namespace, services, slice.getAsJsonObject("metadata")))
        .forEach(items::add);
    var metadata = new JsonObject();
    metadata.addProperty("resourceVersion", "" + version);
    var list = new JsonObject();
    list.addProperty("kind", "EndpointSliceList");
    list.add("metadata", metadata);
    list.add("items", items);
    return list;
  }

  private void watch(HttpExchange exchange, Watcher watcher, int from) throws IOException {
    synchronized (this) {
      if (from < oldest) {
        watcher.events.add(expired());
      }
      slices.values().stream()
          .filter(
              slice ->
                  isFor(watcher.namespace, watcher.services, slice.getAsJsonObject("metadata")))
          .filter(slice -> versionOf(slice) > from)
          .forEach(slice -> watcher.events.add(event("ADDED", slice)));
      deleted.stream()
          .filter(
              slice ->
                  isFor(watcher.namespace, watcher.services, slice.getAsJsonObject("metadata")))
          .filter(slice -> versionOf(slice) > from)
          .forEach(slice -> watcher.events.add(event("DELETED", slice)));
      watchers.add(watcher);
    }
    try {
      exchange.sendResponseHeaders(200, 0); // chunked
      exchange.getResponseBody().flush();
      for (byte[] next = watcher.events.take(); next != END; next = watcher.events.take()) {
        if (next == CUT) {
          throw new IOException("cut");
        }
        exchange.getResponseBody().write(next);
        exchange.getResponseBody().flush();
      }
    } catch (InterruptedException stopped) {
      throw new IOException("stopped", stopped);
    } finally {
      synchronized (this) {
        watchers.remove(watcher);
      }
    }
  }

  private static int versionOf(JsonObject slice) {
    return slice.getAsJsonObject("metadata").get("resourceVersion").getAsInt();
  }

  private static Map<String, String> query(HttpExchange exchange) {
    Map<String, String> query = new HashMap<>();
    for (String pair : exchange.getRequestURI().getRawQuery().split("&", -1)) {
      String[] parts = pair.split("=", 2);
      query.put(parts[0], URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
    }
    return query;
  }

  private static Set<String> services(String selector) {
    String label = "kubernetes.io/service-name";
    String names = selector.substring(label.length()).replaceFirst("^(=| in )", "");
    return Set.of(names.replaceAll("[() ]", "").split(",", -1));
  }

  @Override
  public void close() {
    stop();
    threads.shutdownNow();
  }
}
