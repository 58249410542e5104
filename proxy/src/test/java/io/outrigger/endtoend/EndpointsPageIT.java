package io.outrigger.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.dataplane.filter.LocalReason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The page of admin endpoints names each endpoint of the program with its query parameters. */
@Timeout(600)
class EndpointsPageIT {
  private static final Path PAGE = Path.of("../docs/look-in/endpoints.md");
  private static final String TABLE = "/io/outrigger/program/app/AdminEndpoints.class";

  /** The endpoints that ignore unknown parameters. */
  private static final Set<String> PROBES = Set.of("GET /live", "GET /ready", "GET /metrics");

  private static final Pattern ENDPOINT = Pattern.compile("(?:GET|POST) /[a-z_/*]*");
  private static final Pattern ROW =
      Pattern.compile(
          "^\\| `((?:GET|POST) /[a-z_/A-Z]*)(?:\\?([a-z=&]*))?` \\|", Pattern.MULTILINE);

  /** The endpoints on the page, each with its parameters. */
  private static Map<String, List<String>> documented() throws IOException {
    Map<String, List<String>> found = new TreeMap<>();
    for (MatchResult row : ROW.matcher(Files.readString(PAGE)).results().toList()) {
      String parameters = row.group(2) == null ? "" : row.group(2);
      found.put(
          row.group(1).replace("NAME", "*"),
          Arrays.stream(parameters.split("[=&]+")).filter(name -> !name.isEmpty()).toList());
    }
    return found;
  }

  /** The names of endpoints stand as texts in the compiled class. */
  private static Set<String> known() throws IOException {
    try (InputStream table = EndpointsPageIT.class.getResourceAsStream(TABLE)) {
      return ENDPOINT
          .matcher(new String(table.readAllBytes(), StandardCharsets.ISO_8859_1))
          .results()
          .map(MatchResult::group)
          .collect(Collectors.toSet());
    }
  }

  @Test
  void theNamesAreThoseOfTheProgram() throws IOException {
    assertThat(documented().keySet())
        .filteredOn(name -> !name.equals("GET /"))
        .containsExactlyInAnyOrderElementsOf(known());
  }

  @Test
  void eachReasonOfALocalAnswerIsNamed() throws IOException {
    String page = Files.readString(PAGE);

    for (LocalReason reason : LocalReason.values()) {
      assertThat(page).contains("| `" + reason.word() + "` |");
    }
  }

  @Test
  void theParametersAreThoseThatTheProgramAccepts() throws Exception {
    try (var mesh = new Mesh()) {
      mesh.controlPlane.mute(true);
      mesh.start();
      documented()
          .forEach(
              (name, parameters) -> {
                if (PROBES.contains(name) || name.equals("GET /") || name.equals("GET /app")) {
                  return;
                }
                String path = name.replaceAll("^[A-Z]+ ", "").replace("*", "any") + "?bogus=1";
                Admin.Answer answer =
                    name.startsWith("GET") ? mesh.admin().get(path) : mesh.admin().post(path);
                assertThat(answer.body().strip())
                    .as(name)
                    .endsWith(
                        parameters.isEmpty()
                            ? "; there are none here"
                            : "; known are " + String.join(", ", parameters));
              });
    }
  }
}
