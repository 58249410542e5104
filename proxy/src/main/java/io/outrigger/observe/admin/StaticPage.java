package io.outrigger.observe.admin;

import io.outrigger.base.AnyThread;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Serves the page's files from the class path. No build step creates the files, and no file comes
 * from another host.
 */
@AnyThread
public final class StaticPage implements AdminEndpoint {
  private static final Pattern FILE = Pattern.compile("/(?:page/([a-z]+\\.(js|css|svg)))?");
  private static final Map<String, String> CONTENT_TYPES =
      Map.of(
          "css", "text/css; charset=utf-8",
          "svg", "image/svg+xml",
          "js", "text/javascript; charset=utf-8");

  /** Adds the page at {@code /} and its files below {@code /page/} to {@code endpoints}. */
  public static void addTo(Map<String, AdminEndpoint> endpoints) {
    var page = new StaticPage();
    endpoints.put("GET /", page);
    endpoints.put("GET /page/*", page);
  }

  @Override
  public CompletionStage<AdminReply> answer(AdminRequest request) {
    return CompletableFuture.completedFuture(
        reply(request.path()).orElseGet(() -> AdminReply.text(404, "the page has no such file")));
  }

  private static Optional<AdminReply> reply(String path) {
    Matcher file = FILE.matcher(path);
    if (!file.matches()) {
      return Optional.empty();
    }
    String name = Optional.ofNullable(file.group(1)).orElse("index.html");
    String type =
        CONTENT_TYPES.getOrDefault(String.valueOf(file.group(2)), "text/html; charset=utf-8");
    try (InputStream content = StaticPage.class.getResourceAsStream("/admin/" + name)) {
      return content == null
          ? Optional.empty()
          : Optional.of(new AdminReply(200, type, content.readAllBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
