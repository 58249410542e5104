package io.outrigger.observe.admin;

import static java.util.Objects.requireNonNull;

import io.outrigger.base.LoopConfined;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Serves the page's files from the class path. No build step creates the files, and no file comes
 * from another host. Each file is read at its first request, since most sidecars never serve their
 * page.
 */
@LoopConfined // the admin thread
public final class StaticPage implements AdminEndpoint {
  private static final List<String> FILES =
      List.of(
          "index.html",
          "style.css",
          "icon.svg",
          "app.js",
          "certs.js",
          "command.js",
          "data.js",
          "dom.js",
          "events.js",
          "explain.js",
          "layout.js",
          "list.js",
          "node.js",
          "overlay.js",
          "overview.js",
          "picture.js",
          "resources.js",
          "spark.js",
          "tree.js");

  private static final Map<String, String> CONTENT_TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "svg", "image/svg+xml",
          "js", "text/javascript; charset=utf-8");

  private final String file;
  private final String contentType;
  private byte @Nullable [] content;

  private StaticPage(String file, String contentType) {
    this.file = file;
    this.contentType = contentType;
  }

  /** Adds {@code /} and the files that it loads, below {@code /page/}, to {@code endpoints}. */
  public static void addTo(Map<String, AdminEndpoint> endpoints) {
    for (String file : FILES) {
      String contentType =
          requireNonNull(CONTENT_TYPES.get(file.substring(file.lastIndexOf('.') + 1)));
      String path = file.equals("index.html") ? "/" : "/page/" + file;
      endpoints.put("GET " + path, new StaticPage(file, contentType));
    }
  }

  @Override
  public CompletionStage<AdminReply> answer(AdminRequest request) {
    byte[] known = content;
    if (known == null) {
      known = read(file);
      content = known;
    }
    return CompletableFuture.completedFuture(new AdminReply(200, contentType, known));
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
