package io.outrigger.program.testing.browser;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.outrigger.base.AnyThread;
import io.outrigger.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A tab: what its page shows, what it asked for, and everything that went wrong in it. */
@AnyThread
public final class Tab implements AutoCloseable {
  private final DevTools devTools;
  private final String context;
  private final String session;
  private volatile Look look;
  private final List<String> problems = new CopyOnWriteArrayList<>();
  private final Map<String, URI> requests = new ConcurrentHashMap<>();
  private final Map<String, Long> received = new ConcurrentHashMap<>();
  private final Set<String> forgiven = ConcurrentHashMap.newKeySet();

  public Tab(DevTools devTools, String context, String session, Look look) {
    this.devTools = devTools;
    this.context = context;
    this.session = session;
    this.look = look;
    devTools.listen(session, this::onEvent);
    for (String domain : List.of("Page", "Runtime", "Log", "Network")) {
      send(domain + ".enable", new JsonObject());
    }
    var clock = new JsonObject();
    clock.addProperty("timeDomain", "threadTicks");
    send("Performance.enable", clock);
    show(look);
  }

  /** Changes what the user has before them, as by turning a telephone or at dusk. */
  public void show(Look next) {
    look = next;
    var size = new JsonObject();
    size.addProperty("width", look.width());
    size.addProperty("height", look.height());
    size.addProperty("deviceScaleFactor", 1);
    size.addProperty("mobile", false);
    send("Emulation.setDeviceMetricsOverride", size);
    var feature = new JsonObject();
    feature.addProperty("name", "prefers-color-scheme");
    feature.addProperty("value", look.theme().name().toLowerCase(Locale.ROOT));
    var features = new JsonArray();
    features.add(feature);
    var media = new JsonObject();
    media.add("features", features);
    send("Emulation.setEmulatedMedia", media);
  }

  public Look look() {
    return look;
  }

  /** Console errors, exceptions, failed loads and breaches of the content security policy. */
  public List<String> problems() {
    return List.copyOf(problems);
  }

  /** From here on an answer from {@code path} that is an error, or none, is no problem. */
  public void forgive(String path) {
    forgiven.add(path);
  }

  /** The address of everything that was asked for. */
  public List<URI> requests() {
    return List.copyOf(requests.values());
  }

  /** The bytes on the wire of the answers, heads included, to requests below {@code path}. */
  public long received(String path) {
    return requests.entrySet().stream()
        .filter(request -> request.getValue().getPath().startsWith(path))
        .mapToLong(request -> received.getOrDefault(request.getKey(), 0L))
        .sum();
  }

  public void open(URI address) {
    var parameters = new JsonObject();
    parameters.addProperty("url", address.toString());
    send("Page.navigate", parameters);
  }

  /** Makes the timers of the pages that are opened next run {@code times} as fast. */
  public void quicken(int times) {
    var script = new JsonObject();
    script.addProperty(
        "source",
        "{ const set = setTimeout; window.setTimeout = (f, ms, ...of) => set(f, ms / %d, ...of); }"
            .formatted(times));
    send("Page.addScriptToEvaluateOnNewDocument", script);
  }

  /** The value of an expression; JSON null where it has none. A promise is waited for. */
  public JsonElement evaluate(String expression) {
    var parameters = new JsonObject();
    parameters.addProperty("expression", expression);
    parameters.addProperty("returnByValue", true);
    parameters.addProperty("awaitPromise", true);
    JsonObject answer = send("Runtime.evaluate", parameters);
    if (answer.has("exceptionDetails")) {
      throw new AssertionError(expression + ": " + answer.get("exceptionDetails"));
    }
    JsonElement value = answer.getAsJsonObject("result").get("value");
    return value == null ? com.google.gson.JsonNull.INSTANCE : value;
  }

  public boolean holds(String expression) {
    return evaluate("Boolean(" + expression + ")").getAsBoolean();
  }

  /** The text of all that matches, as a user reads it. */
  public String text(String selector) {
    return evaluate(
            "[...document.querySelectorAll(%s)].map(each => each.innerText).join('\\n')"
                .formatted(quoted(selector)))
        .getAsString();
  }

  /**
   * Clicks in the middle of the first that matches, with the pointer: once it stands still with
   * nothing before it. A click that something else got, since things moved under the pointer, is
   * kept from that and made again.
   */
  public void click(String selector) {
    Await.until(
        "a click on " + selector, () -> problems + " " + text("main"), () -> hits(selector));
  }

  private boolean hits(String selector) {
    JsonElement at =
        evaluate(
            """
            (async () => {
              const element = document.querySelector(%s);
              if (!element) return null;
              const frame = () => new Promise(done => requestAnimationFrame(done));
              const middle = () => {
                const box = element.getBoundingClientRect();
                return {x: box.x + box.width / 2, y: box.y + box.height / 2};
              };
              element.scrollIntoView({block: 'center', behavior: 'instant'});
              const before = middle();
              await frame();
              await frame();
              const at = middle();
              const front = document.elementFromPoint(at.x, at.y);
              if (before.x !== at.x || before.y !== at.y || !element.contains(front)) return null;
              window.clickWatch?.abort();
              window.clickWatch = new AbortController();
              window.gotClick = false;
              window.addEventListener('click', event => {
                window.gotClick = element.contains(event.target);
                if (!window.gotClick) {
                  event.preventDefault();
                  event.stopImmediatePropagation();
                }
              }, {capture: true, signal: window.clickWatch.signal});
              return at;
            })()"""
                .formatted(quoted(selector)));
    if (at.isJsonNull()) {
      return false;
    }
    for (String type : List.of("mousePressed", "mouseReleased")) {
      JsonObject event = at.getAsJsonObject().deepCopy();
      event.addProperty("type", type);
      event.addProperty("button", "left");
      event.addProperty("clickCount", 1);
      send("Input.dispatchMouseEvent", event);
    }
    return holds("(window.clickWatch.abort(), window.gotClick)");
  }

  /** Presses a key such as {@code ArrowDown} in what has the focus. */
  public void press(String key) {
    int code =
        switch (key) {
          case "Tab" -> 9;
          case "Enter" -> 13;
          case "ArrowUp" -> 38;
          case "ArrowDown" -> 40;
          case "ArrowLeft" -> 37;
          case "ArrowRight" -> 39;
          default -> throw new IllegalArgumentException(key);
        };
    for (String type : List.of("rawKeyDown", "keyUp")) {
      var event = new JsonObject();
      event.addProperty("type", type);
      event.addProperty("key", key);
      event.addProperty("code", key);
      event.addProperty("windowsVirtualKeyCode", code);
      send("Input.dispatchKeyEvent", event);
    }
  }

  /** Replaces what is in a field, as typing does. */
  public void fill(String selector, String text) {
    evaluate(
        "document.querySelector(%1$s).focus(); document.querySelector(%1$s).select()"
            .formatted(quoted(selector)));
    var parameters = new JsonObject();
    parameters.addProperty("text", text);
    send("Input.insertText", parameters);
  }

  /** What takes the focus but has no name for a screen reader. */
  public List<String> unnamed() {
    List<String> found = new ArrayList<>();
    for (JsonElement each :
        send("Accessibility.getFullAXTree", new JsonObject()).getAsJsonArray("nodes")) {
      JsonObject node = each.getAsJsonObject();
      if (isFocusable(node) && value(node, "name").isEmpty()) {
        found.add(value(node, "role") + " " + node);
      }
    }
    return found;
  }

  private static boolean isFocusable(JsonObject node) {
    if (node.get("ignored").getAsBoolean() || value(node, "role").equals("RootWebArea")) {
      return false;
    }
    for (JsonElement each : node.getAsJsonArray("properties")) {
      JsonObject property = each.getAsJsonObject();
      if (property.get("name").getAsString().equals("focusable")) {
        return property.getAsJsonObject("value").get("value").getAsBoolean();
      }
    }
    return false;
  }

  private static String value(JsonObject node, String member) {
    JsonObject found = node.getAsJsonObject(member);
    return found == null || !found.has("value") ? "" : found.get("value").getAsString();
  }

  /** Processor time of the page's thread in script, style and layout since it was opened. */
  public double busyMillis() {
    double seconds = 0;
    for (JsonElement each :
        send("Performance.getMetrics", new JsonObject()).getAsJsonArray("metrics")) {
      JsonObject metric = each.getAsJsonObject();
      if (List.of("ScriptDuration", "LayoutDuration", "RecalcStyleDuration")
          .contains(metric.get("name").getAsString())) {
        seconds += metric.get("value").getAsDouble();
      }
    }
    return seconds * 1e3;
  }

  /** Writes a picture of the whole page. */
  public void screenshot(Path file) {
    JsonObject size =
        send("Page.getLayoutMetrics", new JsonObject()).getAsJsonObject("cssContentSize");
    var clip = new JsonObject();
    clip.addProperty("x", 0);
    clip.addProperty("y", 0);
    clip.addProperty("width", look.width());
    clip.addProperty("height", Math.max(look.height(), size.get("height").getAsDouble()));
    clip.addProperty("scale", 1);
    var parameters = new JsonObject();
    parameters.add("clip", clip);
    parameters.addProperty("captureBeyondViewport", true);
    String picture = send("Page.captureScreenshot", parameters).get("data").getAsString();
    try {
      Files.createDirectories(file.getParent());
      Files.write(file, Base64.getDecoder().decode(picture));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    var parameters = new JsonObject();
    parameters.addProperty("browserContextId", context);
    devTools.send("", "Target.disposeBrowserContext", parameters);
  }

  private JsonObject send(String method, JsonObject parameters) {
    return devTools.send(session, method, parameters);
  }

  private boolean isForgiven(JsonObject entry) {
    return entry.get("source").getAsString().equals("network")
        && forgiven.contains(URI.create(entry.get("url").getAsString()).getPath());
  }

  private static String quoted(String text) {
    return new JsonPrimitive(text).toString();
  }

  private void onEvent(JsonObject event) {
    JsonObject parameters = event.getAsJsonObject("params");
    switch (event.get("method").getAsString()) {
      case "Runtime.exceptionThrown" -> problems.add("exception " + parameters);
      case "Runtime.consoleAPICalled" -> {
        if (List.of("error", "warning", "assert").contains(parameters.get("type").getAsString())) {
          problems.add("console " + parameters);
        }
      }
      case "Log.entryAdded" -> {
        JsonObject entry = parameters.getAsJsonObject("entry");
        if (!entry.get("level").getAsString().equals("verbose") && !isForgiven(entry)) {
          problems.add("log " + entry);
        }
      }
      case "Network.requestWillBeSent" ->
          requests.put(
              parameters.get("requestId").getAsString(),
              URI.create(parameters.getAsJsonObject("request").get("url").getAsString()));
      case "Network.loadingFinished" ->
          received.put(
              parameters.get("requestId").getAsString(),
              parameters.get("encodedDataLength").getAsLong());
      default -> {}
    }
  }
}
