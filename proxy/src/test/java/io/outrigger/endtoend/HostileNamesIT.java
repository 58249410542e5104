package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import io.outrigger.program.testing.OutriggerProcess;
import io.outrigger.testing.Await;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Names of a control plane that means harm, through everything that shows names: they stay text in
 * JSON, in metrics and on a terminal. {@link PageIT} does the same for the page.
 */
@Timeout(600)
class HostileNamesIT {
  /** Steers terminals, ends strings and lines of most formats, is markup, and turns text around. */
  private static final String HOSTILE =
      "\u001b]0;owned\u0007\u001b[2J\u009b31m\r\n\r\ndata: x\n\t</script><script>alert(1)</script>"
          + "\"'\\{}le=\"1\"} 7\n# TYPE \u202egnp\u2066\u0000\u007f";

  private static final int LONG = 100_000;

  /** What a terminal obeys, or what turns the text behind it around. */
  private static final Pattern STEERS = Pattern.compile("[\\p{Cc}\\p{Cf}&&[^\n]]");

  private static final Pattern SAMPLE =
      Pattern.compile(
          "[a-zA-Z_:][a-zA-Z0-9_:]*(\\{([a-zA-Z_][a-zA-Z0-9_]*=\"(\\\\.|[^\"\\\\])*\",?)*})? \\S+");

  private final Mesh mesh = new Mesh();
  @TempDir private Path folder;

  @AfterEach
  void close() {
    mesh.close();
  }

  /** As it stands within a text of JSON. */
  private static String escaped(String name) {
    String quoted = new JsonPrimitive(name).toString();
    return quoted.substring(1, quoted.length() - 1);
  }

  private void serve(String name) throws Exception {
    String json = escaped(name);
    Backend a = mesh.backend("a");
    mesh.controlPlane.serve(
        Xds.cluster(json),
        Xds.endpoints(json, Xds.locality(json, 0, 1, a)),
        Xds.listener("orders", json),
        Xds.routesTo(json, json));
    mesh.startReady();
    assertThat(mesh.app().call("test.Pay/Charge").backend()).isEqualTo("a");
    mesh.controlPlane.serve(Xds.watchedCluster(json, "\"interval\":\"-1s\""));
    Await.until(
        "it is refused", () -> mesh.admin().get("/events?format=json").body().contains("nack"));
    Await.until(
        "the call is counted", () -> mesh.admin().get("/history").body().contains("\"time\""));
  }

  @Test
  void namesStayTextInEveryAnswer() throws Exception {
    serve(HOSTILE);

    for (String path :
        new String[] {
          "/lb?detail=full",
          "/explain?path=/test.Pay/Charge",
          "/history",
          "/events?format=json",
          "/xds",
          "/config_dump"
        }) {
      Admin.Answer answer = mesh.admin().get(path);
      assertThat(answer.status()).as(path).isEqualTo(200);
      assertThat(answer.headers()).as(path).contains("application/json", "nosniff");
      assertThat(answer.body().replace("\n", "").chars())
          .as("no control character as it is, in %s", path)
          .noneMatch(c -> c < ' ');
      assertThat(STEERS.matcher(answer.body()).find()).as(path).isFalse();
      assertThat(texts(JsonParser.parseString(answer.body()))).as(path).contains(HOSTILE);
    }
    String[] lines = mesh.admin().get("/metrics").body().split("\n"); // \r ends no line there
    assertThat(Arrays.stream(lines).filter(line -> !line.startsWith("#")))
        .isNotEmpty()
        .allMatch(line -> SAMPLE.matcher(line).matches())
        .anyMatch(line -> line.contains("<script>"));
  }

  @Test
  void namesCannotSteerATerminal() throws Exception {
    serve(HOSTILE);
    String admin = mesh.admin().host();

    for (String[] line :
        new String[][] {
          {"explain", "--admin", admin, "--path", "/test.Pay/Charge"},
          {"explain", "--admin", admin, "--path", "/test.Pay/Charge", "--json"},
          {"status", "--admin", admin}
        }) {
      try (var command = OutriggerProcess.start(folder, line)) {
        assertThat(command.awaitExit()).as(command.errorText()).isZero();
        String shown = String.join("\n", command.outLines());
        assertThat(shown).contains("<script>");
        assertThat(STEERS.matcher(shown).find()).as(shown).isFalse();
      }
    }
  }

  @Test
  void aNameOfManyKilobytesIsOnlyLong() throws Exception {
    String name = "x".repeat(LONG);
    serve(name);

    for (String path : new String[] {"/lb", "/explain?path=/test.Pay/Charge"}) {
      assertThat(texts(JsonParser.parseString(mesh.admin().get(path).body()))).contains(name);
    }
    assertThat(mesh.admin().get("/history").body()).contains("\"xxxx").contains("x…\"");
    assertThat(mesh.admin().get("/metrics").status()).isEqualTo(200);
  }

  /** All strings in {@code json}, put together. */
  private static String texts(JsonElement json) {
    var texts = new StringBuilder();
    if (json.isJsonArray()) {
      json.getAsJsonArray().forEach(each -> texts.append(texts(each)));
    } else if (json.isJsonObject()) {
      json.getAsJsonObject()
          .entrySet()
          .forEach(each -> texts.append(each.getKey()).append(texts(each.getValue())));
    } else if (json.isJsonPrimitive()) {
      texts.append(json.getAsString());
    }
    return texts.append('\n').toString();
  }
}
