package io.outrigger.proxy.admin;

import io.outrigger.base.AnyThread;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The page's files, from the class path; no build step, nothing from other hosts. */
@AnyThread
public final class StaticPage {
  private static final Map<String, String> FILES =
      Map.of(
          "index.html", "text/html; charset=utf-8",
          "app.js", "text/javascript; charset=utf-8",
          "style.css", "text/css; charset=utf-8",
          "icon.svg", "image/svg+xml");

  private StaticPage() {}

  /** Adds {@code /} and the files it loads to {@code endpoints}. */
  public static void addTo(Map<String, AdminEndpoint> endpoints) {
    FILES.forEach(
        (file, contentType) -> {
          var reply =
              CompletableFuture.completedFuture(new AdminReply(200, contentType, read(file)));
          endpoints.put("GET /" + file, request -> reply);
          if (file.equals("index.html")) {
            endpoints.put("GET /", request -> reply);
          }
        });
  }

  private static byte[] read(String file) {
    try (InputStream stream = StaticPage.class.getResourceAsStream("/admin/" + file)) {
      if (stream == null) {
        throw new IllegalStateException("the page's file " + file + " is not on the class path");
      }
      return stream.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
