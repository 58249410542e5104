package io.outrigger.program.testing.browser;

import com.google.gson.JsonObject;
import io.outrigger.base.AnyThread;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A Chromium without a window, with a profile of its own that goes when it does. */
@AnyThread
public final class Chromium implements AutoCloseable {
  /** What a test that needs a browser says when there is none. */
  public static final String MISSING =
      "no Chromium on PATH, so the page is not tested: apt-get install chromium";

  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome");
  private static final String READY = "DevTools listening on ";

  private final Process process;
  private final Path profile;
  private final DevTools devTools;

  private Chromium(Process process, Path profile, DevTools devTools) {
    this.process = process;
    this.profile = profile;
    this.devTools = devTools;
  }

  /** Where a browser is installed. */
  public static Optional<Path> installed() {
    return NAMES.stream()
        .flatMap(
            name ->
                Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                    .map(folder -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Starts the installed one. */
  public static Chromium start() {
    try {
      Path profile = Files.createTempDirectory("outrigger-chromium");
      Process process =
          new ProcessBuilder(
                  installed().orElseThrow(() -> new AssertionError(MISSING)).toString(),
                  "--headless=new",
                  "--no-sandbox", // needs rights that a container's root does not have
                  "--disable-gpu",
                  "--disable-dev-shm-usage",
                  "--no-first-run",
                  "--disable-background-networking",
                  "--disable-component-update",
                  "--disable-extensions",
                  "--hide-scrollbars",
                  "--remote-debugging-port=0",
                  "--user-data-dir=" + profile,
                  "about:blank")
              .redirectErrorStream(true)
              .start();
      // A test run that is broken off leaves no browser behind.
      Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
      try {
        return new Chromium(process, profile, new DevTools(DevTools.await(address(process))));
      } catch (AssertionError e) {
        process.destroyForcibly();
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reads the process's words to their end, so that it never waits for a reader. */
  private static CompletableFuture<String> address(Process process) {
    var address = new CompletableFuture<String>();
    var reader =
        new Thread(
            () -> {
              var words = new StringBuilder();
              try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                  words.append(line).append('\n');
                  if (line.startsWith(READY)) {
                    address.complete(line.substring(READY.length()));
                  }
                }
              } catch (IOException e) {
                // it has ended
              }
              address.completeExceptionally(new IOException("Chromium has ended: " + words));
            },
            "chromium-words");
    reader.setDaemon(true);
    reader.start();
    return address;
  }

  /** A new tab that shares nothing with the others. */
  public Tab tab(Look look) {
    var nothing = new JsonObject();
    String context =
        devTools
            .send("", "Target.createBrowserContext", nothing)
            .get("browserContextId")
            .getAsString();
    var target = new JsonObject();
    target.addProperty("url", "about:blank");
    target.addProperty("browserContextId", context);
    var attach = new JsonObject();
    attach.add("targetId", devTools.send("", "Target.createTarget", target).get("targetId"));
    attach.addProperty("flatten", true);
    String session =
        devTools.send("", "Target.attachToTarget", attach).get("sessionId").getAsString();
    return new Tab(devTools, context, session, look);
  }

  @Override
  public void close() {
    devTools.close();
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    try {
      process.waitFor(10, TimeUnit.SECONDS);
      deleteProfile();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** As far as it goes: a child may still be writing its last. */
  private void deleteProfile() {
    try (Stream<Path> files = Files.walk(profile)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
    } catch (IOException | UncheckedIOException e) {
      // the folder is in the machine's place for what is temporary
    }
  }
}
