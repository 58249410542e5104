package io.outrigger.observe.admin;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Serves the page's files from the class path. */
public final class StaticPage {
  private static final Pattern FILE = Pattern.compile("/(?:page/([a-z]+\\.(js|css|svg)))?");
  private static final Map<String, String> CONTENT_TYPES =
      Map.of(
          "css", "text/css; charset=utf-8",
          "svg", "image/svg+xml",
          "js", "text/javascript; charset=utf-8");

  private StaticPage() {}

  /** Adds the page ({@code /}) and its files (below {@code /page/}) to a table of endpoints. */
  public static void addTo(Map<String, AdminEndpoint> endpoints) {
    endpoints.put("GET /", StaticPage::reply);
    endpoints.put("GET /page/*", StaticPage::reply);
  }

  private static CompletionStage<AdminReply> reply(AdminRequest request) {
    AdminReply absent = AdminReply.text(404, "the page has no such file");
    Matcher file = FILE.matcher(request.path());
    if (!file.matches()) {
      return absent.done();
    }
    String name = Optional.ofNullable(file.group(1)).orElse("index.html");
    String type =
        CONTENT_TYPES.getOrDefault(String.valueOf(file.group(2)), "text/html; charset=utf-8");
    try (InputStream content = StaticPage.class.getResourceAsStream("/admin/" + name)) {
      return (content == null ? absent : new AdminReply(200, type, content.readAllBytes())).done();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
