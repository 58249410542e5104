package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.grpc.Status;
import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.outrigger.observe.events.EventKind;
import io.outrigger.program.options.Flag;
import io.outrigger.program.testing.browser.Chromium;
import io.outrigger.program.testing.browser.Look;
import io.outrigger.program.testing.browser.Look.Theme;
import io.outrigger.program.testing.browser.Tab;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.testing.RefusingPort;
import io.outrigger.testing.TestAuthority;
import io.outrigger.testing.TestIdentity;
import io.outrigger.xds.testing.JsonResources;
import io.outrigger.xds.testing.ScriptedApiServer;
import io.outrigger.xds.testing.SliceText;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The admin page in a real browser: what is seen of a mesh while things happen to it. Every test
 * ends with a check of the console, of violations of the content security policy and of the hosts
 * that got requests. {@code -Doutrigger.pictures.write=true} leaves pictures in {@code
 * target/screenshots}. The page refreshes itself four times as often as for users.
 */
@Timeout(600)
class PageIT {
  private static final Path PICTURES = Path.of("target", "screenshots");
  private static final boolean WRITES = Boolean.getBoolean("outrigger.pictures.write");
  private static final String METHOD = "test.Pay/Charge";
  private static final int MAX_BYTES = 64 * 1024;
  private static final int MAX_BUSY_MILLIS = 16; // a frame at 60 Hz

  /** Half of at least two calls failed; long enough to be looked at. */
  private static final String DETECTION =
      """
      "interval":"0.3s","base_ejection_time":"300s","max_ejection_percent":100,
      "enforcing_success_rate":0,"enforcing_failure_percentage":100,
      "failure_percentage_threshold":50,"failure_percentage_minimum_hosts":1,
      "failure_percentage_request_volume":2\
      """;

  /** The settings of what is chosen that bear the mark of local policy. */
  private static final String MARKED =
      """
      [...document.querySelectorAll('.facts div:has(dd.patched) dt')].map(e => e.innerText).join(', ')\
      """;

  /** Texts of which a part is cut off, and not to be read in a tooltip either. */
  private static final String CUT_OFF =
      """
      [...document.querySelectorAll('header, header *, main *')].filter(each => each.offsetParent && each.innerText &&
          (getComputedStyle(each).overflowX === 'hidden' || each.matches('header, nav')) && !each.closest('.unseen') &&
          (each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 4) &&
          !each.closest('[title]') && !each.querySelector('[title]')).map(each => each.outerHTML).join()\
      """;

  /** Whether the light in the header is green although something is wrong. */
  private static final String GREEN_BESIDE_PROBLEMS =
      "document.querySelector('#light.good') && !document.querySelector('.problems').hidden";

  private static @Nullable Chromium chromium;

  private final Mesh mesh = new Mesh();
  @TempDir private Path folder;
  private String host = "";
  private final List<Tab> tabs = new ArrayList<>();

  @BeforeAll
  static void openBrowser() {
    assumeTrue(Chromium.installed().isPresent(), Chromium.MISSING);
    chromium = Chromium.start();
  }

  @AfterAll
  static void closeBrowser() {
    if (chromium != null) {
      chromium.close();
    }
  }

  /** What must hold of every page, whatever it has shown. */
  @AfterEach
  void nothingWentWrong() {
    try {
      for (Tab tab : tabs) {
        assertThat(tab.problems()).isEmpty();
        assertThat(tab.requests())
            .isNotEmpty()
            .allSatisfy(uri -> assertThat(uri.getAuthority()).isEqualTo(host));
        assertThat(tab.holds("window.pwned")).isFalse();
      }
    } finally {
      tabs.forEach(Tab::close);
      mesh.close();
    }
  }

  private Tab open(String view) {
    if (chromium == null) {
      throw new AssertionError("not started");
    }
    Tab tab = chromium.tab(Look.desk(Theme.LIGHT));
    tabs.add(tab);
    tab.quicken(4);
    tab.forgive("/ready"); // it says 503 for a while, and a browser says so in the console
    host = mesh.admin().host();
    tab.open(URI.create("http://" + host + "/#" + view));
    awaitThat(tab, "the page is filled", "document.body?.dataset.fresh > 1");
    return tab;
  }

  private static void awaitThat(Tab tab, String what, String expression) {
    Await.until(what, () -> tab.problems() + " " + tab.text("body"), () -> tab.holds(expression));
  }

  /** Waits until {@code selector} shows a text that has {@code part} in it. */
  private static void awaitText(Tab tab, String selector, String part) {
    Await.until(
        selector + " says " + part,
        () -> tab.problems() + " " + tab.text(selector),
        () -> tab.text(selector).contains(part));
  }

  /** How far things have moved from where they were since the first call, as Chromium scores it. */
  private static double moved(Tab tab) {
    return tab.evaluate(
            """
            (() => {
              if (window.moved === undefined) {
                window.moved = 0;
                new PerformanceObserver(list => {
                  list.getEntries().forEach(entry => { window.moved += entry.value; });
                }).observe({type: 'layout-shift'});
              }
              return window.moved;
            })()\
            """)
        .getAsDouble();
  }

  /**
   * Checks the view in both themes and widths: nothing is wider than the page or cut off, and the
   * light is green only without problems.
   */
  private static void picture(Tab tab, String name) {
    assertThat(tab.unnamed()).isEmpty();
    tab.evaluate("scrollTo(0, 0)");
    for (Theme theme : Theme.values()) {
      for (Look look : List.of(Look.desk(theme), Look.hand(theme))) {
        tab.show(look);
        tab.evaluate(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
        assertThat(tab.evaluate("document.documentElement.scrollWidth").getAsInt())
            .as("%s at %s", name, look)
            .isLessThanOrEqualTo(look.width());
        assertThat(tab.evaluate(CUT_OFF).getAsString()).as("%s at %s", name, look).isEmpty();
        assertThat(tab.holds(GREEN_BESIDE_PROBLEMS)).as("%s: green", name).isFalse();
        if (WRITES) {
          String file = name + "-" + theme.name().toLowerCase(Locale.ROOT) + "-" + look.width();
          tab.screenshot(PICTURES.resolve(file + ".png"));
        }
      }
    }
    tab.show(Look.desk(Theme.LIGHT));
  }

  /** Two backends that are well and one that is not, and a second priority. */
  private Backend serveWithAnOutlier(Backend... others) {
    Backend bad = mesh.backend("bad").quiet().answering(Status.INTERNAL);
    var first = new ArrayList<>(List.of(others));
    first.add(bad);
    mesh.controlPlane.serve(
        Xds.watchedCluster("pay", DETECTION),
        Xds.endpoints(
            "pay",
            Xds.locality("a", 0, 1, first.toArray(Backend[]::new)),
            Xds.locality("b", 1, 1, mesh.backend("spare").quiet())),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "pay"));
    return bad;
  }

  @Test
  void anEjectionIsSeenWithItsCountdownAndItsReason() throws Exception {
    Backend bad = serveWithAnOutlier(mesh.backend("a").quiet(), mesh.backend("b").quiet());
    mesh.with(Flag.THREADS, "1").startReady();
    mesh.load(mesh.app(), METHOD, 100);
    Tab tab = open("tree");
    String address = "127.0.0.1:" + bad.port();

    awaitThat(tab, "it is marked as ejected", "document.querySelector('.endpoint.out')");
    awaitText(tab, ".endpoint.out", address);
    awaitText(tab, ".endpoint.out", "back in");
    assertThat(tab.evaluate("document.querySelector('.endpoint.out').ariaLabel").getAsString())
        .contains(address, "ejected");

    String before = tab.text(".endpoint.out .says");
    Await.until("it counts down", () -> !tab.text(".endpoint.out .says").equals(before));
    tab.click(".endpoint.out");
    awaitText(tab, ".detail", "Ejected by failure percentage");
    awaitText(tab, ".past", "100 % > 50 %");
    awaitText(tab, ".facts", "not used while ejected");
    awaitThat(tab, "lines carry traffic", "document.querySelectorAll('.lines .used').length > 4");
    picture(tab, "tree-ejection");
  }

  /** Writes the two pictures of the README. */
  @Test
  void theReadmeShowsATreeWithAnEjection() throws Exception {
    assumeTrue(WRITES);
    Backend bad = mesh.backend("bad").quiet().answering(Status.INTERNAL);
    Backend b = mesh.backend("b").quiet();
    String endpoints =
        Xds.endpoints(
                "orders",
                Xds.locality("zone-a", 0, 2, mesh.backend("a").quiet(), b),
                Xds.locality("zone-b", 0, 1, mesh.backend("c").quiet(), bad),
                Xds.locality("zone-c", 1, 1, mesh.backend("spare").quiet()))
            .replace("\"region\":\"r\"", "\"region\":\"eu\"")
            .replace(",\"sub_zone\":\"s\"", "");
    mesh.controlPlane.serve(
        Xds.watchedCluster("orders", DETECTION),
        endpoints,
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "orders"));
    mesh.startReady();
    mesh.load(mesh.app(), METHOD, 150);
    Tab tab = open("tree");
    awaitThat(tab, "it is marked as ejected", "document.querySelector('.endpoint.out')");
    tab.click(".endpoint.out");
    awaitText(tab, ".detail", "Ejected by failure percentage");
    awaitText(tab, ".endpoint.out", "back in 28"); // by then, rates are those of a while

    tab.evaluate("scrollTo(0, 0)");
    for (Theme theme : Theme.values()) {
      tab.show(Look.desk(theme));
      String name = "page-" + theme.name().toLowerCase(Locale.ROOT) + ".png";
      tab.screenshot(Path.of("..", "docs", "images", name));
    }
  }

  @Test
  void aFailoverIsSeen() throws Exception {
    Backend first = mesh.backend("first").quiet();
    mesh.controlPlane.serve(
        Xds.cluster("pay"),
        Xds.endpoints(
            "pay",
            Xds.locality("a", 0, 1, first),
            Xds.locality("b", 1, 1, mesh.backend("second").quiet())),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "pay"));
    mesh.startReady();
    mesh.load(mesh.app(), METHOD, 100);
    Tab tab = open("tree?forward=orders");
    String lit =
        "[...document.querySelectorAll('.box')].find(box =>"
            + " box.querySelector('.lit:not([hidden])'))?.innerText";
    awaitThat(tab, "priority 0 is lit", lit + "?.startsWith('priority 0')");

    first.kill();

    awaitThat(tab, "priority 1 is lit", lit + "?.startsWith('priority 1')");
    awaitThat(tab, "the first fails", "document.querySelector('.endpoint.bad')");
    awaitText(tab, ".policy", "priority 1 is in use");
    picture(tab, "tree-failover");
    first.revive();
    awaitThat(tab, "priority 0 is lit again", lit + "?.startsWith('priority 0')");
  }

  @Test
  void eachForwardHasItsFiguresOnOneLine() throws Exception {
    Backend bad = serveWithAnOutlier(mesh.backend("a").quiet());
    mesh.with(
            Flag.FORWARD, "orders@127.0.0.1:0=xds:///orders", "returns@127.0.0.1:0=xds:///returns")
        .start();
    Await.until("orders is ready", () -> mesh.admin().get("/forwards").body().contains("READY"));
    Load load = mesh.load(mesh.app(), METHOD, 100);
    Tab tab = open("overview");

    awaitThat(
        tab,
        "there are figures",
        "document.querySelector('.forwards tbody tr td:nth-child(4)').innerText > 0 &&"
            + " document.querySelector('.forwards tbody tr td:nth-child(7)').innerText.endsWith('"
            + " ms') && document.querySelector('.spark .all').getAttribute('d').length > 20");
    assertThat(tab.text(".forwards tbody tr:nth-child(2)"))
        .containsAnyOf("waiting", "does not exist"); // the control plane has 15 s to say so
    awaitText(tab, ".tiles", "returns");
    assertThat(load.sent()).isPositive();
    assertThat(bad.started()).isPositive();
    assertThat(tab.text(".commands")).contains("curl -s http://" + mesh.admin().host() + "/calls");
    picture(tab, "overview");
    assertThat(tab.received("/page/")).isPositive();
    assertThat(tab.received("/page/") + 4096).as("the page's files").isLessThan(MAX_BYTES);
  }

  @Test
  void anOutageIsTheFirstThingToBeSeenAndACloseOfThePortToo() throws Exception {
    Backend a = mesh.backend("a").quiet();
    Backend b = mesh.backend("b").quiet();
    mesh.controlPlane.serve(
        Xds.cluster("pay"),
        Xds.endpoints("pay", Xds.locality("a", 0, 1, a, b)),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "pay"));
    mesh.startReady();
    Load load = mesh.load(mesh.app(), METHOD, 50);
    Tab tab = open("overview");
    String first = ".tiles > div:first-child";
    awaitText(tab, first, "2 of 2");
    awaitText(tab, "#light.good", "ready");
    assertThat(tab.holds("document.querySelector('.problems').hidden")).isTrue();
    awaitText(tab, ".forwards tbody", "ready, 2 of 2 reachable");
    picture(tab, "overview-calm");

    a.kill();
    awaitText(tab, ".forwards tbody", "ready, 1 of 2 reachable");
    awaitText(tab, ".problems li.wait", "forward orders: 1 of 2 endpoints reachable, the others");
    assertThat(tab.holds("document.querySelector('%s .big.wait')".formatted(first))).isTrue();
    b.kill();

    awaitText(tab, "#light", "ready, 0 of 2 backends reachable");
    awaitText(tab, first, "0 of 2");
    awaitThat(tab, "all of it is red", "document.querySelector('#light.bad')");
    assertThat(tab.holds("document.querySelector('%s .big.bad')".formatted(first))).isTrue();
    assertThat(tab.text(first)).contains("ready, 1 forward configured");
    awaitText(tab, ".problems", "forward orders: ready, 0 of 2 reachable: cluster pay: calls fail");
    assertThat(tab.holds("document.querySelector('.forwards tbody .state.bad')")).isTrue();
    picture(tab, "overview-outage");

    a.revive();
    b.revive();
    awaitText(tab, first, "2 of 2");
    awaitText(tab, "#light.wait", "ready, 1 problem"); // some calls of the last minute have failed
    load.close();
    mesh.proxy().drain().get(60, TimeUnit.SECONDS);
    awaitText(tab, "#light", "draining");
    awaitText(tab, ".forwards tbody", "the port is closed");
    assertThat(tab.text(".forwards tbody")).doesNotContain("ready").contains("draining");
    picture(tab, "overview-drained");
  }

  @Test
  void theLightIsNeverGreenBesideAnEndpointThatFails() throws Exception {
    Backend a = mesh.backend("a").quiet();
    mesh.controlPlane.serve(
        Xds.cluster("pay"),
        Xds.endpoints("pay", a, mesh.backend("b").quiet()),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "pay"));
    mesh.startReady();
    Tab tab = open("overview");
    awaitText(tab, ".tiles", "2 of 2");
    tab.evaluate(
        """
        const light = document.getElementById('light'), get = window.fetch;
        window.shown = 0;
        window.green = [];
        let failing = false;
        const see = where => {
          if (light.classList.contains('good')) window.green.push(where);
        };
        window.fetch = async (address, ...more) => {
          if (address === '/memory') await new Promise(done => setTimeout(done, 100));
          const answer = await get(address, ...more);
          if (address !== '/forwards') return answer;
          const forwards = await answer.json();
          if (window.onlyOneReachable) forwards[0].failing = 1;
          failing = forwards[0].failing > 0;
          return new Response(JSON.stringify(forwards));
        };
        new MutationObserver(() => { if (failing) see('after a refresh'); })
          .observe(document.body, {attributeFilter: ['data-fresh']});
        const frame = () => {
          if (document.querySelector('#overview:not([hidden]) .tiles .big.wait')) {
            window.shown++;
            see('beside the first card');
          }
          requestAnimationFrame(frame);
        };
        frame();\
        """);

    a.kill();
    awaitThat(tab, "the first card is yellow", "window.shown > 20");
    assertThat(tab.evaluate("window.green.join()").getAsString()).isEmpty();
    a.revive();
    awaitText(tab, "#light.good", "ready");
    tab.evaluate(
        """
        window.changes = 0;
        const change = setInterval(() => { // refreshes that overlap
          window.onlyOneReachable = !window.onlyOneReachable;
          document.dispatchEvent(new Event('visibilitychange'));
          if (++window.changes === 40) clearInterval(change);
        }, 60);\
        """);
    awaitThat(tab, "all changes were made", "window.changes === 40");
    assertThat(tab.evaluate("window.green.join()").getAsString()).isEmpty();
    awaitText(tab, "#light.good", "ready");
    tab.evaluate("location.hash = '#tree'");
    awaitThat(tab, "there is a tree", "document.querySelectorAll('.endpoint').length === 2");
    a.kill();
    awaitText(tab, "#light.wait", "ready, 1 problem");
    assertThat(tab.evaluate("window.green.join()").getAsString()).isEmpty();
  }

  @Test
  void failedCallsRefusedVersionsAndLostControlPlanesAreAmongWhatIsWrong() throws Exception {
    Backend bad = mesh.backend("bad").quiet().answering(Status.INTERNAL);
    mesh.controlPlane.serve(
        Xds.cluster("pay"),
        Xds.endpoints("pay", mesh.backend("good").quiet(), bad),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "pay"));
    mesh.startReady();
    mesh.load(mesh.app(), METHOD, 50);
    Tab tab = open("overview");
    awaitText(tab, ".problems", "of the last minute failed, 50 %");
    assertThat(tab.text(".problems")).startsWith("forward orders: ");
    assertThat(tab.text(".tiles > div:nth-child(2)")).contains("% failed");
    awaitText(tab, "#light.bad", "ready, 1 problem");
    picture(tab, "overview-errors");

    mesh.controlPlane.serve(Xds.watchedCluster("pay", "\"interval\":\"-1s\""));
    awaitText(tab, ".problems", "outlier_detection.interval: is negative");
    assertThat(tab.text(".problems"))
        .containsPattern("Cluster pay: version v\\d+ is refused, v\\d+ stays in use: ");
    awaitText(tab, ".tiles > div:nth-child(4)", "1 with an error");
    assertThat(tab.holds("document.querySelector('.tiles .big.wait')"))
        .as("the version in use is valid")
        .isTrue();
    picture(tab, "overview-nack");
    tab.click(".problems li:last-child a");
    awaitText(tab, ".pane[aria-label=Refused] .json.error", "▲ is negative");
    tab.evaluate("location.hash = '#overview'");

    mesh.controlPlane.kill();
    String server = "control plane " + mesh.controlPlane.target() + ": not connected";
    awaitText(tab, ".problems li.bad", server);
    awaitText(tab, ".tiles", "Not connected");
    picture(tab, "overview-control-plane-down");
  }

  @Test
  void aResourceFileThatBecomesInvalidIsAmongWhatIsWrong() throws Exception {
    Backend a = mesh.backend("a").quiet();
    String names = Xds.listener("orders", "routes") + "," + Xds.routesTo("routes", "pay");
    Files.writeString(folder.resolve("names.json"), "{\"resources\":[" + names + "]}");
    String cluster = Xds.cluster("pay") + "," + Xds.endpoints("pay", a);
    Files.writeString(folder.resolve("pay.json"), "{\"resources\":[" + cluster + "]}");
    mesh.with(Flag.RESOURCES, folder.toString()).startReady();
    Tab tab = open("overview");
    awaitText(tab, ".tiles", "1 of 1");

    Files.writeString(folder.resolve("pay.json"), "{\"resources\":[");

    awaitText(tab, ".problems", "stays in use: cluster \"pay\": error in " + folder + "/pay.json");
    awaitText(tab, "#light", "ready, 2 problems");
    picture(tab, "overview-file");
  }

  @Test
  void aStateThatIsStaleIsAmongWhatIsWrong() throws Exception {
    mesh.controlPlane.serve(
        Xds.cluster("pay"),
        Xds.endpoints("pay", mesh.backend("a").quiet()),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "pay"));
    mesh.with(Flag.STATE, folder.toString()).with(Flag.STATE_AFTER, "500ms").startReady();
    Await.until("the state is kept", () -> Files.exists(folder.resolve("state")));
    mesh.controlPlane.kill();
    mesh.proxy().close();
    mesh.startReady();
    Tab tab = open("overview");

    awaitText(
        tab, ".problems li.wait", "4 resources STALE: saved by an earlier process; no control");
    assertThat(tab.text(".problems li:first-child")).contains("control plane", "not connected");
    assertThat(tab.text(".tiles > div:nth-child(4)")).contains("4 stale");
    picture(tab, "overview-stale");
    tab.click(".problems li.wait a");
    awaitText(tab, "#resources .list", "stale");
  }

  @Test
  void withNothingConfiguredThePageSaysWhatIsMissing() throws Exception {
    mesh.start();
    Tab tab = open("overview");

    awaitText(tab, ".tiles", "not ready: ");
    awaitText(tab, ".tiles", "1 awaited");
    assertThat(tab.text("#light")).isEqualTo("not ready, 1 problem");
    picture(tab, "overview-nothing");
    tab.evaluate("location.hash = '#tree'");
    awaitText(tab, "#tree", "orders has no configuration yet; Overview says why.");
    tab.evaluate("location.hash = '#resources'");
    awaitText(tab, "#resources .list", "requested");
  }

  @Test
  void servicesOfKubernetesAreSeenByZone() throws Exception {
    TestAuthority authority = TestAuthority.named("cluster");
    var api = mesh.keep(new ScriptedApiServer(authority.issue("ip:127.0.0.1")));
    Backend first = mesh.backend("b1").quiet();
    mesh.backend("b2", "127.0.0.2", first.port()).quiet();
    SliceText slice = SliceText.of("orders-1", "orders").port("grpc", first.port());
    api.put(
        slice
            .ready("127.0.0.1")
            .zone("a")
            .ready("127.0.0.2")
            .zone("b")
            .draining("127.0.0.3")
            .zone("b"));
    mesh.withoutBootstrap()
        .with(Flag.FORWARD, "orders@127.0.0.1:0=k8s:///orders.shop:grpc")
        .with(Flag.KUBECONFIG, api.writeKubeconfig(folder, authority.rootPem()).toString())
        .startReady();
    mesh.load(mesh.app(), METHOD, 20);
    Tab tab = open("overview");
    awaitText(tab, ".tiles", "none is asked");

    awaitThat(
        tab, "there is a way", "!document.querySelector('nav a[href=\"#kubernetes\"]').hidden");
    tab.click("nav a[href='#kubernetes']");
    String zones =
        """
        [...document.querySelectorAll('#kubernetes tbody tr')].map(row =>
          [...row.children].map(each => each.textContent).join(' ')).join()\
        """;
    Await.until(
        "pods by zone: ready, connecting, idle, failing, ejected, draining",
        () -> tab.evaluate(zones).getAsString(),
        () -> tab.evaluate(zones).getAsString().equals("a 1 0 0 0 0 0,b 1 0 0 0 0 1"));
    assertThat(tab.text("#kubernetes"))
        .contains("k8s:///orders.shop:grpc", "ready, 2 of 2 reachable");
    picture(tab, "kubernetes");

    api.stop();

    awaitText(tab, "#kubernetes .error", "127.0.0.1");
    tab.evaluate("location.hash = '#overview'");
    awaitText(tab, ".problems", "k8s:///orders.shop:grpc: ");
  }

  @Test
  void certificatesThatEndAreAmongWhatFailsTheWorstFirst() throws Exception {
    startSecured();
    Tab tab = open("overview");

    awaitText(tab, ".problems", "certificate expired: expired 3 days ago");
    assertThat(tab.text(".problems"))
        .contains("certificate ending: 2 hours left", "certificate missing: nothing in use");
    assertThat(
            tab.evaluate(
                    "[...document.querySelectorAll('.problems li')].map(e => e.className).join()")
                .getAsString())
        .isEqualTo("bad,bad,wait");
    picture(tab, "overview-certs");
  }

  @Test
  void aRefusedVersionStandsBesideTheOneInUse() throws Exception {
    serveWithAnOutlier(mesh.backend("a").quiet());
    mesh.startReady();
    mesh.controlPlane.serve(
        Xds.watchedCluster("pay", "\"interval\":\"-1s\",\"max_ejection_percent\":200"));
    Tab tab = open("resources");

    awaitText(tab, "#resources .list", "nacked");
    tab.evaluate("document.querySelector('#resources .list').focus()");
    tab.press("ArrowDown"); // what is refused comes first
    awaitText(tab, ".pane[aria-label=Refused] .json.error", "▲ is negative");
    assertThat(tab.text(".errors")).contains("outlier_detection.interval: is negative");
    assertThat(tab.text(".pane[aria-label='In use']")).contains("\"interval\": \"0.300s\"");
    assertThat(
            tab.evaluate(
                    "document.querySelector('.pane[aria-label=Refused] .json.marked').innerText")
                .getAsString())
        .contains("\"interval\": \"-1s\"");
    awaitText(tab, ".changes .error", "outlier_detection.interval: is negative");
    assertThat(tab.holds("document.querySelector('.resource .bar .state.wait')"))
        .as("the colour of Overview: a valid version is in use")
        .isTrue();
    picture(tab, "resources");
  }

  /** A provider: its identity, and roots. */
  private String files(String name, TestIdentity identity, String roots) throws IOException {
    Files.writeString(folder.resolve(name + "-chain.pem"), identity.chainPem());
    Files.writeString(folder.resolve(name + "-key.pem"), identity.keyPem());
    Files.writeString(folder.resolve(name + "-roots.pem"), roots);
    return """
    "%2$s":{"plugin_name":"file_watcher","config":{"certificate_file":"%1$s/%2$s-chain.pem",
      "private_key_file":"%1$s/%2$s-key.pem","ca_certificate_file":"%1$s/%2$s-roots.pem"}}\
    """
        .formatted(folder, name);
  }

  /** A mesh with mutual TLS, and providers of every kind. */
  private void startSecured() throws Exception {
    TestAuthority authority = TestAuthority.named("mesh root");
    Instant now = Instant.now();
    var identity =
        authority.intermediate("issuing").issue("uri:spiffe://mesh/orders", "dns:orders.mesh");
    var ending =
        authority.issue(
            each ->
                each.notBefore(now.minus(Duration.ofHours(20)))
                    .notAfter(now.plus(Duration.ofHours(2).plusMinutes(30))),
            "uri:spiffe://mesh/ending");
    var expired =
        authority.issue(
            each ->
                each.notBefore(now.minus(Duration.ofDays(9)))
                    .notAfter(now.minus(Duration.ofDays(3))),
            "uri:spiffe://mesh/expired");
    mesh.certificateProviders(
        "{"
            + String.join(
                ",",
                files("default", identity, authority.rootPem()),
                files("ending", ending, authority.rootPem().repeat(7)),
                files("expired", expired, authority.rootPem()))
            + """
            ,"missing":{"plugin_name":"file_watcher","config":{
              "ca_certificate_file":"/no/such/roots.pem"}}}\
            """);
    TestIdentity server = authority.issue("uri:spiffe://mesh/pay", "dns:pay.mesh");
    SslContextBuilder tls =
        SslContextBuilder.forServer(server.key(), server.chain())
            .trustManager(authority.root())
            .clientAuth(ClientAuth.REQUIRE);
    Backend secured =
        mesh.keep(
            Backend.absent("a")
                .quiet()
                .speaking(GrpcSslContexts.configure(tls, SslProvider.JDK).build())
                .revive());
    mesh.controlPlane.serve(
        Xds.secureCluster("A", Xds.uri("spiffe://mesh/pay")),
        Xds.endpoints("A", secured),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "A"));
    mesh.startReady();
  }

  @Test
  void certificatesAreSeenWithTheirEndsAndErrors() throws Exception {
    startSecured();
    Tab tab = open("certs");
    String card = "#certs .provider[aria-label=%s]";

    awaitText(tab, card.formatted("default"), "in use");
    assertThat(tab.text(card.formatted("default")))
        .contains(
            "spiffe://mesh/orders", "orders.mesh", "identity", "issuer", "root", "hours left");
    assertThat(tab.text(card.formatted("ending"))).contains("2 hours left", "and 2 more roots");
    assertThat(
            tab.holds(
                "document.querySelector('%s .bar .wait')".formatted(card.formatted("ending"))))
        .isTrue();
    assertThat(tab.text(card.formatted("expired")))
        .contains("spiffe://mesh/expired", "expired 3 days ago");
    assertThat(
            tab.holds(
                "document.querySelector('%s .bar .bad')".formatted(card.formatted("expired"))))
        .isTrue();
    assertThat(tab.text(card.formatted("missing")))
        .contains("nothing in use", "/no/such/roots.pem does not exist");

    awaitText(tab, "#light.bad", "ready, 3 problems");
    Files.delete(folder.resolve("default-key.pem"));

    awaitText(tab, card.formatted("default") + " .bar", "the newest files are not in use");
    awaitText(tab, card.formatted("default") + " .error", "default-key.pem does not exist");
    assertThat(tab.text(".commands")).contains("outrigger certs --admin " + host);
    assertThat(
            tab.evaluate(
                    "[...document.querySelectorAll('#certs .provider')].map(e =>"
                        + " e.ariaLabel).join()")
                .getAsString())
        .as("the worst first")
        .isEqualTo("default,expired,missing,ending");
    picture(tab, "certs");
  }

  @Test
  void theTlsOfAnEndpointIsSeen() throws Exception {
    startSecured();
    assertThat(mesh.app().call(METHOD).backend()).isEqualTo("a");
    Tab tab = open("tree");

    awaitText(tab, "#tree .row", "TLS 1.3");
    tab.click("#tree .endpoint");

    awaitText(tab, ".facts", "spiffe://mesh/pay");
    assertThat(tab.text(".facts")).contains("TLS 1.3", "TLS_AES", "until ", "hours left");
    picture(tab, "tree-tls");
    String marked =
        tab.evaluate(
                """
                import('/page/node.js').then(({Detail}) => {
                  const now = Date.UTC(2026, 0, 1);
                  const marked = [now - 60_000, now, now + 1, now + 2 * 86_400_000].map(end => {
                    const detail = new Detail({traffic: {now: () => now}, events: {all: []}});
                    const tls = {protocol: 'TLSv1.2', cipher: 'C', peer: 'p', peer_expires: new Date(end).toISOString()};
                    detail.set({endpoint: {address: 'a', state: 'READY', health: 'HEALTHY', tls,
                      total: {}, last_interval: {}}});
                    const value = [...detail.facts.children].find(row => row.innerText.startsWith('its')).lastChild;
                    return `${value.textContent.split(', ').at(-1)}: ${value.className}`;
                  });
                  return marked.join(', ');
                })\
                """)
            .getAsString();
    assertThat(marked)
        .isEqualTo(
            "expired 60 seconds ago: bad, expired 0 seconds ago: bad, 0 seconds left: , 2 days"
                + " left: ");
  }

  @Test
  void noFailureHasTheSignOfWhatIsIdle() throws Exception {
    mesh.start();
    Tab tab = open("overview");
    String kinds =
        List.of(EventKind.values()).stream()
            .map(kind -> '\'' + kind.name().toLowerCase(Locale.ROOT) + '\'')
            .collect(Collectors.joining(",", "[", "]"));

    assertThat(
            tab.evaluate(
                    """
                    import('/page/events.js').then(({toneOf}) =>
                      %s.filter(kind => toneOf({kind, message: ''}) === 'idle').join())\
                    """
                        .formatted(kinds))
                .getAsString())
        .isEqualTo("dns,overlay");
    assertThat(
            tab.evaluate(
                    """
                    import('/page/events.js').then(({toneOf}) => [
                      ['dns', 'cannot be resolved, will be tried again: NXDOMAIN'],
                      ['overlay', 'rule a of b:1 is left out: c'],
                      ['overlay', 'b:1: unknown field; the last valid rules stay in use'],
                    ].map(([kind, message]) => toneOf({kind, message})).join())\
                    """)
                .getAsString())
        .isEqualTo("bad,wait,bad");
  }

  @Test
  void noHeadingIsUnderTheHeaderWhenItsViewIsOpened() throws Exception {
    serveWithAnOutlier(mesh.backend("a").quiet());
    mesh.startReady();
    Tab tab = open("overview");
    for (Look look : List.of(Look.desk(Theme.LIGHT), Look.hand(Theme.LIGHT))) {
      tab.show(look);
      for (String view : List.of("tree", "resources", "certs", "events", "explain", "overview")) {
        tab.evaluate("scrollTo(0, 1000)");
        tab.evaluate("location.hash = '#" + view + "'");
        awaitThat(tab, "it is shown", "!document.getElementById('%s').hidden".formatted(view));
        tab.evaluate(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
        assertThat(
                tab.evaluate(
                        """
                        document.querySelector('#%s h2').getBoundingClientRect().top -
                          Math.max(0, document.querySelector('header').getBoundingClientRect().bottom)\
                        """
                            .formatted(view))
                    .getAsDouble())
            .as("%s at %s", view, look)
            .isNotNegative();
      }
    }
  }

  @Test
  void eventsAreSeenAsTheyHappen() throws Exception {
    Backend bad = serveWithAnOutlier(mesh.backend("a").quiet(), mesh.backend("b").quiet());
    mesh.startReady();
    Tab tab = open("events");
    awaitText(tab, "#events .list", "accepted eds version");

    mesh.load(mesh.app(), METHOD, 100);

    awaitText(tab, "#events .list", "failure percentage 100.00 > 50");
    awaitText(tab, "#events .list", "127.0.0.1:" + bad.port());
    awaitText(tab, "#announcer", "eject");
    tab.click("#events button[aria-pressed]");
    mesh.controlPlane.serve(Xds.watchedCluster("pay", "\"interval\":\"-1s\""));
    awaitText(tab, "#events .bar", "new while paused");
    assertThat(tab.text("#events .list")).doesNotContain("is negative");
    tab.click("#events button[aria-pressed]");
    awaitText(tab, "#events .list", "outlier_detection.interval: is negative");
    tab.fill("#events input[type=search]", "nack");
    awaitThat(
        tab,
        "the others are hidden",
        "document.querySelectorAll('#events .row:not([hidden])').length === 1");
    tab.fill("#events input[type=search]", "s");
    picture(tab, "events");
  }

  @Test
  void aRequestIsExplainedAsAPathThroughTheTree() throws Exception {
    Backend a = mesh.backend("a").quiet();
    Backend bad = serveWithAnOutlier(a);
    mesh.controlPlane.serve(
        Xds.routes(
            "routes", Xds.host("*", Xds.route("/other.Shop/", "other"), Xds.route("", "pay"))));
    mesh.with(Flag.THREADS, "1").startReady();
    mesh.load(mesh.app(), METHOD, 100);
    Tab tab = open("explain");
    Await.until("the outlier is ejected", () -> mesh.admin().get("/lb").body().contains("\"by\""));

    tab.fill("#explain-path", "/test.Pay/Charge");
    tab.fill("#explain-headers", "x-user: jane");
    tab.click("#explain button[type=submit]");

    awaitText(tab, ".answer h3", "cluster pay, to 127.0.0.1:" + a.port());
    assertThat(tab.text(".steps")).contains("x-user: jane", "its domain * matches best");
    assertThat(tab.text(".routes .missed")).contains("missed by path with prefix \"/other.Shop/\"");
    assertThat(tab.text(".routes .hit")).contains("matches");
    awaitThat(tab, "it is lit", "document.querySelectorAll('.way .box.used').length === 4");
    assertThat(tab.text(".shares")).contains("100 %", "127.0.0.1:" + a.port());
    assertThat(tab.text(".left-out")).contains("127.0.0.1:" + bad.port() + " ejected until");
    assertThat(tab.text(".commands")).contains("outrigger explain", "--header");
    tab.click(".way .endpoint.out");
    awaitText(tab, ".way [role=status]", "ejected until");
    assertThat(tab.text(".steps")).contains("lets calls through");
    picture(tab, "explain");
    Tab other = open(tab.evaluate("location.hash.slice(1)").getAsString());
    awaitText(other, ".answer h3", "cluster pay, to 127.0.0.1:" + a.port());
    awaitText(other, ".steps", "x-user: jane");
    tab.fill("#explain-path", "no slash <b>here</b>");
    tab.forgive("/explain"); // a refusal is an answer of 400, and a browser says so in the console
    tab.click("#explain button[type=submit]");
    awaitText(tab, "#explain .errors", "path");
  }

  @Test
  void figuresAreTheDifferenceOfTwoAnswers() throws Exception {
    mesh.start();
    Tab tab = open("overview");

    String figures =
        tab.evaluate(
                """
                import('/page/data.js').then(({Traffic}) => {
                  const counts = (ended, failed, durations) => ({name: 'f', connections: 1,
                    started: ended, ended, active: 0, queued: 0, local: {}, http_status: {},
                    grpc_status: {OK: ended - failed, UNAVAILABLE: failed}, durations});
                  const answer = (second, since, ...rest) => ({since, forwards: [counts(...rest)],
                    time: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()});
                  const traffic = new Traffic();
                  const said = [];
                  said.push(traffic.add(answer(0, 'a', 1000, 500, [[100, 990], [9000, 10]])));
                  said.push(traffic.of('f').rate, traffic.of('f').p50);
                  said.push(traffic.add(answer(2, 'a', 1200, 510, [[100, 990], [200, 197], [9000, 13]])));
                  const {rate, errors, p50, p99} = traffic.of('f');
                  said.push(rate, errors, p50, p99, ...traffic.series('f')[0]);
                  said.push(traffic.add(answer(4, 'b', 10, 0, [[100, 10]])), traffic.of('f').rate);
                  return JSON.stringify(said);
                })\
                """)
            .getAsString();

    assertThat(figures).isEqualTo("[false,null,null,false,100,0.05,200,9000,100,5,true,null]");
  }

  @Test
  void boxesOfAnyTreeStandApartAndInside() throws Exception {
    mesh.start();
    Tab tab = open("overview");

    String wrong =
        tab.evaluate(
                """
                import('/page/layout.js').then(({boxesOf, place, linesOf}) => {
                  let seed = 7;
                  const random = n => (seed = (seed * 16807) % 2147483647) % n;
                  const endpoint = i => ({address: `10.0.0.${i}:80`, rate: random(9), failing: 0,
                    state: 'READY', health: 'HEALTHY', ejected: null});
                  const node = depth => ({name: random(3) ? `n${random(99)}` : 'same', policy: 'p',
                    state: 'READY', detail: '', config: {}, used: Boolean(random(2)),
                    children: depth ? Array.from({length: random(4)}, () => node(depth - 1)) : [],
                    endpoints: depth ? [] : Array.from({length: random(5) ? random(9) : 400},
                      (_, i) => endpoint(i))});
                  for (let i = 0; i < 300; i++) {
                    const width = 300 + random(1500);
                    const boxes = boxesOf(node(random(5)), new Set());
                    const {height, outline} = place(boxes, width);
                    linesOf(boxes, outline);
                    for (const [n, a] of boxes.entries()) {
                      const inside = a.x >= 0 && a.y >= 0 && a.x + a.w <= width && a.y + a.h <= height;
                      const apart = boxes.slice(n + 1).every(b => a.x + a.w <= b.x ||
                        b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y);
                      if (!inside || !apart) return `tree ${i} at ${width}: box ${n}`;
                    }
                    if (new Set(boxes.map(box => box.id)).size < boxes.length) return `ids ${i}`;
                  }
                  return '';
                })\
                """)
            .getAsString();

    assertThat(wrong).isEmpty();
  }

  @Test
  void aLocalityWithoutAnyPartIsNotShownAsSlashes() throws Exception {
    String unset =
        Xds.locality("", 0, 1, mesh.backend("a").quiet())
            .replace("\"region\":\"r\"", "\"region\":\"\"")
            .replace("\"sub_zone\":\"s\"", "\"sub_zone\":\"\"");
    mesh.controlPlane.serve(
        Xds.cluster("pay"),
        Xds.endpoints("pay", unset),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "pay"));
    mesh.startReady();
    Tab tab = open("tree");
    awaitThat(tab, "there is a tree", "document.querySelector('.endpoint')");
    awaitText(tab, ".boxes", "no locality");

    assertThat(tab.text("body")).doesNotContain("//\n").doesNotContain(" // ");
    tab.evaluate("document.querySelector('.endpoint').click()");
    awaitText(tab, ".detail", "127.0.0.1:");
    assertThat(tab.text(".detail")).doesNotContain("//");
    String names =
        "import('/page/data.js').then(data => ['a/b/', 'a/b/c', '//'].map(data.placeName).join())";
    assertThat(tab.evaluate(names).getAsString()).isEqualTo("a/b,a/b/c,");
  }

  @Test
  void theKeysGoThroughTheTree() throws Exception {
    serveWithAnOutlier(mesh.backend("a").quiet());
    mesh.startReady();
    Tab tab = open("tree");
    awaitThat(tab, "there is a tree", "document.querySelector('.endpoint')");
    String focused = "document.activeElement.ariaLabel";
    tab.evaluate("document.querySelector('.policy[tabindex=\"0\"]').focus()");
    assertThat(tab.evaluate(focused).getAsString()).contains("cluster_manager");

    tab.press("ArrowRight");
    assertThat(tab.evaluate(focused).getAsString()).contains("pay, outlier_detection");
    tab.press("ArrowDown");
    assertThat(tab.evaluate(focused).getAsString()).contains("pay, cluster_impl");
    tab.press("Enter");

    awaitText(tab, ".detail", "max requests");
    assertThat(tab.evaluate(focused).getAsString()).contains("pay, cluster_impl");
    tab.press("ArrowLeft");
    assertThat(tab.evaluate(focused).getAsString()).contains("cluster_manager");
  }

  @Test
  void aThousandEndpointsStayWithinAFrame() throws Exception {
    mesh.controlPlane.serve(
        Xds.cluster("pay"),
        Xds.endpoints(
            "pay",
            Xds.locality("a", 0, 1, mesh.backend("a").quiet()),
            Xds.locality("b", 1, 1, IntStream.range(20_000, 21_000).boxed().toList())),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "pay"));
    mesh.startReady();
    mesh.load(mesh.app(), METHOD, 50);
    Tab tab = open("tree");
    awaitText(tab, ".caption", "1,000 endpoints: 1,000 idle");
    assertThat(tab.evaluate("document.querySelectorAll('.endpoint-row.row').length").getAsInt())
        .isLessThan(40);

    assertThat(moved(tab)).isZero();
    double busy = busyMillisOfARefresh(tab);
    for (int again = 0; busy >= MAX_BUSY_MILLIS && again < 10; again++) {
      busy = Math.min(busy, busyMillisOfARefresh(tab)); // of some, since the machine may be busy
    }

    assertThat(moved(tab)).as("what moves while figures change").isLessThan(0.01);
    assertThat(busy).as("milliseconds for a refresh").isLessThan(MAX_BUSY_MILLIS);
    System.out.printf("1,000 endpoints: %.1f ms of the page's thread a refresh%n", busy);
    picture(tab, "tree-thousand");
  }

  @Test
  void aThousandClustersAreFoundBySearchAndTheOnesThatFailComeFirst() throws Exception {
    String last = "c-0999";
    List<String> names = IntStream.range(0, 1_000).mapToObj("c-%04d"::formatted).toList();
    Backend backend = mesh.backend("a").quiet();
    List<String> resources = new ArrayList<>();
    for (String name : names) {
      resources.add(Xds.cluster(name));
      resources.add(
          name.equals(last)
              ? Xds.endpoints(name, Xds.locality("a", 0, 1, List.of(1)))
              : Xds.endpoints(name, backend));
    }
    resources.add(Xds.listener("orders", "routes"));
    resources.add(
        Xds.routes(
            "routes",
            Xds.host(
                "*",
                names.stream()
                    .map(name -> Xds.route("/" + name + "/", name))
                    .toArray(String[]::new))));
    mesh.controlPlane.serve(resources.toArray(String[]::new));
    mesh.startReady();
    var unused = mesh.app().send("c-0999/Method");
    Tab tab = open("tree");

    awaitText(tab, "#tree [role=status]", "1,000 clusters, 12 are shown: search for others");
    awaitText(tab, ".box:nth-child(2)", last);
    assertThat(tab.evaluate("document.documentElement.scrollHeight").getAsInt()).isLessThan(2_500);
    picture(tab, "tree-thousand-clusters");
    tab.fill("#tree [aria-label='search clusters']", "c-0777");
    awaitText(tab, "#tree [role=status]", "1 of 1,000 clusters match");
    awaitText(tab, ".boxes .endpoint", "127.0.0.1:" + backend.port());
    tab.fill("#tree [aria-label='search clusters']", "failure");
    awaitText(tab, ".box:nth-child(2)", last);
    awaitText(tab, "#tree [role=status]", "1 of 1,000 clusters match");
    tab.evaluate("location.hash = '#overview'");
    awaitText(tab, ".problems", last);
    picture(tab, "overview-thousand-clusters");
  }

  @Test
  void twoHundredEndpointsAreAFieldAndAList() throws Exception {
    mesh.controlPlane.serve(
        Xds.cluster("pay"),
        Xds.endpoints(
            "pay",
            Xds.locality("a", 0, 1, mesh.backend("a").quiet()),
            Xds.locality("b", 0, 1, IntStream.range(1, 200).boxed().toList())),
        Xds.listener("orders", "routes"),
        Xds.routesTo("routes", "pay"));
    mesh.startReady();
    mesh.load(mesh.app(), METHOD, 50);
    Tab tab = open("tree");

    awaitText(tab, ".caption", "199 failing");
    awaitText(tab, "#tree .list .row[aria-posinset='1']", "transient failure");
    awaitText(tab, "#tree .list .row[aria-posinset='1']", "127.0.0.1:1");
    picture(tab, "tree-two-hundred");
    tab.evaluate(
        """
        const light = document.getElementById('light').lastChild, get = window.fetch;
        window.seen = [];
        window.fetch = (address, ...more) => {
          if (window.seen.length || !String(address).includes('/memory')) {
            return get(address, ...more);
          }
          return Promise.reject(new Error('lost'));
        };
        new MutationObserver(() => window.seen.push(light.textContent))
          .observe(light, {subtree: true, characterData: true, childList: true});\
        """);
    awaitThat(tab, "an answer after the lost one", "window.seen.length > 1");
    assertThat(tab.evaluate("window.seen.join('; ')").getAsString())
        .isEqualTo("no answer; ready, 1 problem");
  }

  /** How long the page's thread works for a refresh, as the mean of five or so. */
  private static double busyMillisOfARefresh(Tab tab) {
    int before = tab.evaluate("document.body.dataset.fresh").getAsInt();
    double busyBefore = tab.busyMillis();
    awaitThat(tab, "it goes on", "document.body.dataset.fresh >= " + (before + 5));
    double busy = tab.busyMillis() - busyBefore;
    return busy / (tab.evaluate("document.body.dataset.fresh").getAsInt() - before);
  }

  @Test
  void namesAreTextWhateverTheySay() throws Exception {
    String hostile = "'><img src=x onerror=window.pwned=1>&lt;b&gt;";
    Backend bad = mesh.backend("bad").quiet();
    mesh.controlPlane.serve(
        Xds.watchedCluster(hostile, DETECTION),
        Xds.endpoints(hostile, Xds.locality(hostile, 0, 1, bad)),
        Xds.listener("orders", hostile),
        Xds.routesTo(hostile, hostile));
    mesh.startReady();
    mesh.controlPlane.serve(Xds.watchedCluster(hostile, "\"interval\":\"-1s\""));
    Tab tab = open("tree");

    awaitText(tab, ".box-head", hostile);
    awaitText(tab, "#tree .list", hostile);
    tab.click(".box:nth-child(2) .policy");
    awaitText(tab, ".detail", hostile);
    for (String type : List.of("rds", "cds", "eds")) {
      tab.evaluate(
          "location.hash = '#resources?' + new URLSearchParams({type: '%s', name: \"%s\"})"
              .formatted(type, hostile));
      awaitText(tab, ".resource h3", hostile);
      awaitText(tab, ".pane", hostile);
    }
    tab.evaluate("location.hash = '#events'");
    awaitText(tab, "#events .list", hostile);
    tab.click("#events .row");
    awaitText(tab, ".whole", hostile);
    tab.evaluate(
        "location.hash = '#explain?' + new URLSearchParams({forward: 'orders', path: \"/%1$s\","
                .formatted(hostile.replace(" ", "/"))
            + " headers: \"x-user: %s\"})".formatted(hostile));
    awaitText(tab, ".answer", "x-user: " + hostile);
    awaitText(tab, ".answer h3", "cluster " + hostile);
    awaitText(tab, ".way .box-head", hostile);
    awaitText(tab, "#explain .commands", "<img".replace("<", "%3C"));
    tab.evaluate("location.hash = '#overview'");
    awaitText(tab, "#overview .tiles", "with an error");
    assertThat(tab.evaluate("document.querySelectorAll('img, b, script').length").getAsInt())
        .isEqualTo(2); // the page's own sign and module
  }

  /** Puts a file in the place of the one before, as tools do. */
  private void write(String overlay) throws IOException {
    Path next = Files.writeString(folder.resolve(".next"), overlay);
    Files.move(next, folder.resolve("policy.yaml"), StandardCopyOption.ATOMIC_MOVE);
  }

  @Conformance("OV-06")
  @Test
  void valuesOfLocalPolicyAreSeenWithTheirRules() throws Exception {
    String overlay =
        """
        overlay:
        - name: eject-broken-endpoints
          clusters: ["p*"]
          patch:
            outlier_detection: {interval: 5s, failure_percentage_threshold: 50}
            circuit_breakers: {thresholds: [{max_requests: 500}]}
        - name: longer-reports
          targets: ["xds:///orders"]
          patch: {max_stream_duration: {grpc_timeout_header_max: 30s}}
        - name: small-ring
          clusters: ["*"]
          patch: {ring_hash_lb_config: {maximum_ring_size: 40}}
        - name: for-another
          targets: ["xds:///returns"]
          patch: {timeout: 1s}
        """;
    write(overlay);
    mesh.controlPlane.serve(
        Xds.cluster("pay")
            .replaceFirst(
                "\"type\"",
                "\"lb_policy\":\"RING_HASH\","
                    + "\"ring_hash_lb_config\":{\"minimum_ring_size\":50},\"type\""),
        Xds.endpoints("pay", mesh.backend("a").quiet()),
        Xds.listener("orders", "routes"),
        JsonResources.routes("routes", "pay"));
    mesh.with(Flag.OVERLAY, folder.toString()).startReady();
    Tab tab = open("overview");
    String rule = "#overlay .rule[aria-label=%s]";
    String file = folder.resolve("policy.yaml").toString();

    awaitThat(tab, "there is a way", "!document.querySelector('nav a[href=\"#overlay\"]').hidden");
    tab.click("nav a[href='#overlay']");
    awaitText(tab, rule.formatted("eject-broken-endpoints"), "matches 1 cluster");
    assertThat(tab.text(rule.formatted("eject-broken-endpoints")))
        .contains(file + ":2", "default", "outlier_detection.interval", "5s", "pay");
    assertThat(tab.text(rule.formatted("longer-reports"))).contains("matches 1 route", "30s");
    assertThat(tab.text(rule.formatted("small-ring")))
        .contains("left out of 1", "pay", "ring_hash_lb_config.minimum_ring_size: ");
    assertThat(tab.text(rule.formatted("for-another"))).contains("matches nothing");
    assertThat(
            tab.holds(
                "document.querySelector('%s .state.wait')".formatted(rule.formatted("small-ring"))))
        .isTrue();
    assertThat(tab.holds("document.querySelector('.overlay-errors').hidden")).isTrue();

    write(overlay.replace("interval:", "intervall:"));

    awaitText(tab, ".overlay-errors", file + ":5:");
    assertThat(tab.text(".overlay-errors")).contains("outlier_detection.intervall");
    assertThat(tab.holds("document.querySelector('.overlay-errors').hidden")).isFalse();
    assertThat(tab.text(rule.formatted("eject-broken-endpoints"))).contains("matches 1 cluster");
    awaitThat(
        tab,
        "the way there says so",
        "document.querySelector('nav a[href=\"#overlay\"]').ariaLabel === 'Overlay, 1 error'");
    int fresh = tab.evaluate("document.body.dataset.fresh").getAsInt();
    awaitThat(tab, "a refresh", "document.body.dataset.fresh > " + fresh);
    assertThat(tab.text("#light.bad")).isEqualTo("ready, 2 problems");
    picture(tab, "overlay");
    tab.evaluate("location.hash = '#overview'");
    awaitText(tab, ".problems", "local policy " + file + ":5:25: rule eject-broken-endpoints");
    awaitText(tab, ".problems li.wait", "rule small-ring: matches 1 cluster, left out of 1");
    picture(tab, "overview-overlay");

    tab.evaluate("location.hash = '#tree'");
    awaitThat(tab, "there is a tree", "document.querySelector('.box:nth-child(2) .policy')");
    awaitThat(tab, "nothing is chosen", "document.querySelector('.local').hidden");
    tab.click(".box:nth-child(2) .policy");
    awaitText(tab, ".local", "outlier_detection.interval 5s");
    assertThat(tab.holds("document.querySelector('.local').hidden")).isFalse();
    assertThat(tab.text(".local"))
        .contains("from rule eject-broken-endpoints, " + file + ":2")
        .doesNotContain("small-ring");
    assertThat(tab.evaluate(MARKED).getAsString()).isEqualTo("interval");
    assertThat(tab.text(".facts")).contains("5s", "5m").doesNotContain("PT5");
    picture(tab, "tree-overlay");
    tab.click(".endpoint");
    awaitText(tab, ".facts", "health");
    awaitThat(tab, "an endpoint has no rules", "document.querySelector('.local').hidden");

    tab.evaluate("location.hash = '#explain?forward=orders&path=/" + METHOD + "'");
    awaitText(tab, ".steps:nth-of-type(1)", "request");
    awaitText(tab, ".answer", "from rule longer-reports");
    assertThat(tab.text(".answer"))
        .contains(
            "max_stream_duration.grpc_timeout_header_max 30s",
            "from rule longer-reports, " + file + ":7",
            "from rule eject-broken-endpoints, " + file + ":2");
    picture(tab, "explain-overlay");
  }

  @Conformance("OV-06")
  @Test
  void withoutAnOverlayThePageSaysNothingOfIt() throws Exception {
    serveWithAnOutlier(mesh.backend("a").quiet());
    mesh.startReady();
    Tab tab = open("tree");
    awaitThat(tab, "there is a tree", "document.querySelector('.box:nth-child(2) .policy')");
    tab.click(".box:nth-child(2) .policy");
    awaitText(tab, ".detail", "interval");

    assertThat(tab.text("nav")).doesNotContain("Overlay", "Serving");
    assertThat(tab.text(".detail")).doesNotContain("local policy");
    tab.evaluate("location.hash = '#explain?forward=orders&path=/" + METHOD + "'");
    awaitText(tab, ".answer", "cluster");
    assertThat(tab.text(".answer")).doesNotContain("rule");
  }

  @Test
  @Conformance("OPS-07")
  void servedAddressesAreSeenWithTheirChainsAndTheReasonOfTheClosedOnes() throws Exception {
    RefusingPort pay = mesh.keep(RefusingPort.any());
    RefusingPort ship = mesh.keep(RefusingPort.any());
    Backend app = mesh.backend("app").quiet();
    String rbac =
        """
        {"name":"istio.io/rbac","typed_config":{
          "@type":"type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC",
          "rules":{"action":"DENY","policies":{}}}},{"name":"router"\
        """;
    String routes = Xds.servedRoutes("in", "/");
    mesh.controlPlane.serve(
        Xds.serverListener(
                "inbound/127.0.0.1:" + pay.number(),
                "127.0.0.1",
                pay.number(),
                "\"route_config\":{" + routes.substring(routes.indexOf(',') + 1))
            .replace("{\"name\":\"router\"", rbac),
        Xds.listener("inbound/127.0.0.1:" + ship.number(), "routes"));
    mesh.with(
            Flag.SERVE,
            "pay@127.0.0.1:" + pay.number() + "=127.0.0.1:" + app.port(),
            "<b>ship</b>@127.0.0.1:" + ship.number() + "=127.0.0.1:" + app.port())
        .start();
    Tab tab = open("overview");

    awaitThat(tab, "there is a way", "!document.querySelector('nav a[href=\"#serving\"]').hidden");
    tab.click("nav a[href='#serving']");
    awaitText(tab, "#serving .served[aria-label=pay] .state", "serving");
    assertThat(tab.text("#serving .served[aria-label=pay]"))
        .contains("127.0.0.1:" + pay.number(), "127.0.0.1:" + app.port(), "0 connections")
        .contains("chain in: plain text, filters istio.io/rbac, router");
    awaitText(tab, "#serving .served:nth-child(2)", "not serving");
    assertThat(tab.text("#serving .served:nth-child(2)")).contains("<b>ship</b>", "API listener");
    assertThat(tab.holds("document.querySelector('#serving .served .state.bad')")).isTrue();
    picture(tab, "serving");
  }

  @Test
  void aSidecarThatIsGoneIsSaidToBe() throws Exception {
    serveWithAnOutlier(mesh.backend("a").quiet());
    mesh.startReady();
    Tab tab = open("overview");
    awaitText(tab, ".forwards", "orders");
    List.of("/forwards", "/calls", "/xds", "/ready", "/events", "/overlay", "/listeners")
        .forEach(tab::forgive);

    mesh.close();

    awaitText(tab, "#problem", "does not answer");
    awaitText(tab, "#light", "no answer");
    assertThat(tab.text(".forwards")).contains("orders");
    picture(tab, "gone");
  }
}
