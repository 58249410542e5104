package io.outrigger.program.testing;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.outrigger.base.WaitingClock;
import io.outrigger.program.cli.Main;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The real program as a child process, with its output in files of a folder of its own. */
public final class OutriggerProcess implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final Duration POLL = Duration.ofMillis(20);
  private static final Pattern ADMIN = Pattern.compile("admin: (http://[^/]+)/");

  private final HttpClient http =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final Path folder;
  private final Process process;

  private OutriggerProcess(Path folder, Process process) {
    this.folder = folder;
    this.process = process;
  }

  /** Starts the program in {@code folder}; of the environment only {@code environment} is given. */
  public static OutriggerProcess start(
      Path folder, Map<String, String> environment, String... args) {
    return start(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-Xshare:auto",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName()),
        folder,
        environment,
        args);
  }

  /**
   * The same with another way to start the program.
   *
   * @param program the command, without arguments of ours
   */
  public static OutriggerProcess start(
      List<String> program, Path folder, Map<String, String> environment, String... args) {
    List<String> command = new ArrayList<>(program);
    command.addAll(List.of(args));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectOutput(folder.resolve("stdout").toFile())
            .redirectError(folder.resolve("stderr").toFile());
    builder
        .environment()
        .keySet()
        .removeIf(name -> name.startsWith("OUTRIGGER_") || name.startsWith("GRPC_"));
    builder.environment().putAll(environment);
    try {
      return new OutriggerProcess(folder, builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static OutriggerProcess start(Path folder, String... args) {
    return start(folder, Map.of(), args);
  }

  /** The exit code. */
  public int awaitExit() {
    try {
      if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError("still runs\n" + text("stderr"));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return process.exitValue();
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** The id of the process. */
  public long pid() {
    return process.pid();
  }

  /** SIGTERM. */
  public void terminate() {
    process.destroy();
  }

  /** Processor time used so far. */
  public Duration cpu() {
    return process.info().totalCpuDuration().orElseThrow();
  }

  public List<String> outLines() {
    return text("stdout").lines().toList();
  }

  /** Its lines on stderr, without what a JVM says about native code and about its options. */
  public List<String> errorLines() {
    return text("stderr")
        .lines()
        .filter(line -> !line.isEmpty() && !line.startsWith("WARNING: "))
        .filter(line -> !line.startsWith("Picked up "))
        .toList();
  }

  public String errorText() {
    return text("stderr");
  }

  private String text(String file) {
    try {
      return Files.readString(folder.resolve(file));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public void await(String what, BooleanSupplier happened) {
    long start = WaitingClock.nanoTime();
    while (!happened.getAsBoolean()) {
      if (WaitingClock.nanoTime() - start > PATIENCE.toNanos()) {
        throw new AssertionError("not within " + PATIENCE + ": " + what + "\n" + text("stderr"));
      }
      WaitingClock.sleep(POLL);
    }
  }

  /** Waits until the admin server is there and {@code /ready} is answered with {@code status}. */
  public OutriggerProcess awaitReady(int status) {
    await("admin server", () -> admin().isPresent() || !process.isAlive());
    await("/ready " + status, () -> get("/ready").statusCode() == status);
    return this;
  }

  /** The admin server's address as HOST:PORT. */
  public String adminAddress() {
    return admin().orElseThrow().substring("http://".length());
  }

  private Optional<String> admin() {
    Matcher matcher = ADMIN.matcher(text("stderr").replace("\\/", "/")); // as JSON may spell it
    return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
  }

  public HttpResponse<String> get(String path) {
    return send(HttpRequest.newBuilder(uri(path)).GET());
  }

  public HttpResponse<String> post(String path) {
    return send(
        HttpRequest.newBuilder(uri(path))
            .header("content-type", "application/json")
            .POST(HttpRequest.BodyPublishers.noBody()));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  private URI uri(String path) {
    return URI.create(admin().orElseThrow(() -> new AssertionError(text("stderr"))) + path);
  }

  /** What {@code /forwards} says under {@code key} of the forward {@code name}. */
  public String forward(String name, String key) {
    JsonArray forwards = JsonParser.parseString(get("/forwards").body()).getAsJsonArray();
    for (JsonElement forward : forwards) {
      if (forward.getAsJsonObject().get("name").getAsString().equals(name)) {
        return forward.getAsJsonObject().get(key).getAsString();
      }
    }
    throw new AssertionError("no forward " + name + " in " + forwards);
  }

  /** The local port of the forward {@code name}. */
  public int port(String name) {
    String listen = forward(name, "listen");
    return Integer.parseInt(listen.substring(listen.lastIndexOf(':') + 1));
  }

  @Override
  public void close() {
    process.destroyForcibly();
    awaitExit();
  }
}
