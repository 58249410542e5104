package io.outrigger.xds.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.config.bootstrap.Bootstrap;
import io.outrigger.config.bootstrap.Node;
import io.outrigger.config.bootstrap.ServerFeatures;
import io.outrigger.config.bootstrap.XdsServer;
import io.outrigger.config.endpoint.Locality;
import io.outrigger.testing.Await;
import io.outrigger.testing.Conformance;
import io.outrigger.xds.RawResource;
import io.outrigger.xds.state.StateFolder.KeptResource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class StateFolderTest {
  private static final Duration MAX_AGE = Duration.ofHours(24);
  private static final Instant NOW = Instant.parse("2026-11-27T02:00:00Z");
  private static final Map<String, Instant> TIMES =
      Map.of("", NOW, "other", NOW.minus(MAX_AGE.multipliedBy(2)));
  private static final String SECRET = "hunter2";
  private static final StateOrigin ORIGIN = origin("node-1", "cp:1", SECRET);

  @TempDir Path temporary;
  private Path path = Path.of("");
  private StateFolder folder = new StateFolder(path, ORIGIN, MAX_AGE);

  @BeforeEach
  void makeFolder() {
    path = temporary.resolve("state");
    folder = new StateFolder(path, ORIGIN, MAX_AGE);
  }

  @Test
  void whatIsSavedIsRead() {
    folder.put(resource("a", "1"));
    folder.put(resource("b", "2"));
    assertThat(folder.save(TIMES)).isEmpty();

    StateFolder.Reading found = reread();

    assertThat(found.problem()).isEmpty();
    assertThat(found.times()).isEqualTo(TIMES);
    assertThat(found.resources().values())
        .containsExactlyInAnyOrder(resource("a", "1"), resource("b", "2"));
  }

  /** After a power failure, a file that was renamed but not forced could be empty. */
  @Test
  @Conformance("ST-03")
  void eachFileIsOnTheDiskBeforeItHasItsName() throws Exception {
    Queue<String> forced = new ConcurrentLinkedQueue<>();
    try (var events = new RecordingStream()) {
      events.enable("jdk.FileForce").withoutThreshold();
      events.onEvent(
          "jdk.FileForce",
          event -> {
            String name = event.getString("path");
            if (name.startsWith(path.toString())) {
              forced.add(name);
            }
          });
      events.startAsync();
      folder.put(resource("a", "1"));

      assertThat(folder.save(TIMES)).isEmpty();
      Await.until("the files are forced", () -> forced.size() >= 2);
    }

    try (Stream<Path> files = Files.list(path)) {
      List<String> written =
          files.map(Path::toString).filter(name -> !name.endsWith("lock")).toList();
      assertThat(forced)
          .containsExactlyInAnyOrderElementsOf(
              written.stream().map(name -> name + ".tmp").toList());
    }
  }

  @Test
  void filesThatAreNotOfTheStateStay() throws IOException {
    Files.createDirectories(path);
    for (String name : List.of("a.tmp", "download.part", "notes")) {
      Files.writeString(path.resolve(name), "mine");
    }

    folder.put(resource("a", "1"));
    assertThat(folder.save(TIMES)).isEmpty();

    for (String name : List.of("a.tmp", "download.part", "notes")) {
      assertThat(path.resolve(name)).hasContent("mine");
    }
  }

  /** The order of authorities differs from process to process. */
  @Test
  void theOriginNamesControlPlanesInOneOrder() {
    Map<String, Bootstrap.Authority> authorities = new HashMap<>();
    for (String name : List.of("e", "b", "d", "a", "c")) {
      authorities.put(
          name, new Bootstrap.Authority(List.of(server(name + ":1")), Optional.empty(), false));
    }

    StateOrigin origin = origin("node-1", "z:1", SECRET, authorities);

    assertThat(origin.servers()).isEqualTo("a:1, b:1, c:1, d:1, e:1, z:1");
  }

  @Test
  void aFolderThatWasNeverWrittenIsNoProblem() {
    assertThat(reread().problem()).isEmpty();
    assertThat(reread().resources()).isEmpty();
  }

  @Test
  void removedResourcesAreGone() {
    folder.put(resource("a", "1"));
    folder.put(resource("b", "2"));
    folder.put(resource("c", "3"));
    folder.save(TIMES);

    folder.remove(resource("a", "1").key());
    folder.retain(Set.of(resource("a", "1").key(), resource("c", "3").key()));
    folder.save(TIMES);

    assertThat(reread().resources().values()).containsExactly(resource("c", "3"));
  }

  @Test
  @Conformance("ST-03")
  void aTruncatedFileIsNeverUsed() throws IOException {
    save(20, "x");
    for (Path file : content().keySet()) {
      byte[] whole = Files.readAllBytes(file);
      for (int length = 0; length < whole.length; length++) {
        Files.write(file, Arrays.copyOf(whole, length));
        assertUnusable(file + " cut to " + length);
      }
      Files.write(file, whole);
    }
    assertThat(reread().resources()).hasSize(20);
  }

  @Test
  @Conformance("ST-03")
  void anAlteredFileIsNeverUsed() throws IOException {
    save(20, "x");
    long seed = 20261127;
    var random = new Random(seed);
    List<Path> files = content().keySet().stream().sorted().toList();
    for (int i = 0; i < 3000; i++) {
      Path file = files.get(random.nextInt(files.size()));
      byte[] whole = Files.readAllBytes(file);
      byte[] altered = whole.clone();
      int bit = random.nextInt(altered.length * 8);
      altered[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(file, altered);
      assertUnusable("seed " + seed + ": " + file + " bit " + bit);
      Files.write(file, whole);
    }
  }

  @Test
  @Conformance("ST-03")
  void aMissingPartAndAnotherFormatAreTold() throws IOException {
    save(20, "x");
    Path part =
        content().keySet().stream()
            .filter(file -> !file.endsWith("state"))
            .findFirst()
            .orElseThrow();
    byte[] whole = Files.readAllBytes(part);
    Files.delete(part);
    assertThat(reread().problem())
        .hasValueSatisfying(
            text ->
                assertThat(text)
                    .contains("is incomplete: " + part.getFileName() + " does not exist;"));
    Files.write(part, whole);
    Files.writeString(path.resolve("state"), "outrigger-state 2\nwhatever");
    assertThat(reread().problem())
        .hasValueSatisfying(
            text ->
                assertThat(text).contains("is in the format of another version of this program"));
  }

  @Test
  @Conformance("ST-03")
  void aProcessKilledBetweenAnyTwoFilesLeavesOneWholeConfiguration() throws IOException {
    save(40, "old");
    Map<Path, byte[]> before = content();
    for (int i = 0; i < 40; i++) {
      folder.put(resource("r" + i, "new"));
    }
    folder.save(TIMES);
    Map<Path, byte[]> after = content();
    assertThat(after).hasSameSizeAs(before);

    // A save writes new parts, then the index, then removes old parts.
    List<Path> parts = after.keySet().stream().filter(file -> !file.endsWith("state")).toList();
    for (int written = 0; written <= parts.size(); written++) {
      Map<Path, byte[]> cut = new HashMap<>(before);
      parts.subList(0, written).forEach(part -> cut.put(part, after.get(part)));
      cut.put(path.resolve("state.tmp"), new byte[] {1, 2, 3});
      replaceBy(cut);
      assertThat(contents(reread())).containsOnly("old");
      cut.put(path.resolve("state"), after.get(path.resolve("state")));
      replaceBy(cut);
      if (written == parts.size()) {
        assertThat(contents(reread())).containsOnly("new");
      }
    }
    var next = new StateFolder(path, ORIGIN, MAX_AGE);
    next.read(NOW);
    folder.close();
    assertThat(next.save(TIMES)).isEmpty();
    assertThat(content().keySet()).isEqualTo(after.keySet()); // nothing is left behind
  }

  @ParameterizedTest
  @Conformance("ST-04")
  @CsvSource({
    "node-2, cp:1, hunter2, is of node \"node-1\"; and this is node \"node-2\"",
    "node-1, cp:2, hunter2, is of the control planes cp:1; and the bootstrap has cp:2",
    "node-1, cp:1, other, is of another bootstrap",
  })
  void aStateOfAnotherOriginIsNotUsed(String node, String server, String metadata, String reason) {
    save(3, "x");

    var found = new StateFolder(path, origin(node, server, metadata), MAX_AGE).read(NOW);

    assertThat(found.resources()).isEmpty();
    assertThat(found.problem())
        .hasValueSatisfying(text -> assertThat(text).contains(reason.replace(';', ',')));
  }

  @Test
  @Conformance("ST-04")
  void aStateMayBeAsOldAsTheMaximumAge() {
    save(3, "x");

    assertThat(folder.read(NOW.plus(MAX_AGE)).resources()).hasSize(3);
    assertThat(folder.read(NOW.plus(MAX_AGE).plusSeconds(1)).problem())
        .hasValueSatisfying(text -> assertThat(text).contains("is 86401 s old"));
  }

  /** As after a clock that was wrong; such a state would never be too old. */
  @Test
  @Conformance("ST-04")
  void aStateOfTheFutureIsNotUsed() {
    save(3, "x");

    assertThat(folder.read(NOW.minus(MAX_AGE)).resources()).hasSize(3);
    assertThat(folder.read(NOW.minus(MAX_AGE).minusSeconds(1)).problem())
        .hasValueSatisfying(text -> assertThat(text).contains("which is in the future"));
  }

  @Test
  @Conformance("ST-05")
  void filesArePrivateAndHaveNoSecretOfTheNode() throws IOException {
    save(3, "x");

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
        .isEqualTo("rwx------");
    try (Stream<Path> files = Files.list(path)) {
      for (Path file : files.toList()) {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
            .isEqualTo("rw-------");
        assertThat(Files.readString(file, StandardCharsets.ISO_8859_1)).doesNotContain(SECRET);
      }
    }
  }

  @Test
  void aFolderIsMadeAndLockedBeforeThereIsAnythingToSave() {
    assertThat(folder.open()).isEmpty();

    assertThat(path.resolve("lock")).exists();
    assertThat(path.resolve("state.tmp")).doesNotExist();
    assertThat(new StateFolder(path, ORIGIN, MAX_AGE).open())
        .hasValueSatisfying(text -> assertThat(text).contains("another sidecar writes there"));
  }

  /** Another user of the folder could else have an empty file made anywhere. */
  @Test
  @Conformance("ST-05")
  void aLinkInPlaceOfTheLockIsNotFollowed() throws IOException {
    Path elsewhere = temporary.resolve("elsewhere");
    Files.createDirectory(path);
    Files.createSymbolicLink(path.resolve("lock"), elsewhere);

    assertThat(folder.open())
        .hasValueSatisfying(
            text -> assertThat(text).contains("cannot be written", "symbolic link"));

    assertThat(elsewhere).doesNotExist();
  }

  @Test
  @Timeout(120)
  void aPipeInPlaceOfTheLockDoesNotStopTheProcess() throws Exception {
    Files.createDirectory(path);
    assertThat(new ProcessBuilder("mkfifo", path.resolve("lock").toString()).start().waitFor())
        .isZero();

    var unused = folder.open();

    save(1, "x");
    assertThat(reread().resources()).hasSize(1);
  }

  @Test
  @Conformance("ST-03")
  void aFolderInPlaceOfAFileIsTold() throws IOException {
    Files.createDirectories(path.resolve("state.tmp/full"));

    assertThat(folder.open())
        .hasValueSatisfying(text -> assertThat(text).endsWith("state.tmp is a folder; delete it"));
  }

  /** Only root may give files away. */
  @EnabledIfSystemProperty(named = "user.name", matches = "root")
  @Test
  @Conformance("ST-04")
  void filesOfAnotherUserAreNotUsed() throws IOException {
    save(20, "x");
    for (Path file : content().keySet()) {
      UserPrincipal owner = Files.getOwner(file);
      UserPrincipal other =
          file.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody");
      Files.setOwner(file, other);
      assertThat(reread().problem())
          .hasValueSatisfying(text -> assertThat(text).contains("belongs to user nobody"));
      assertUnusable(file.toString());
      Files.setOwner(file, owner);
    }
    assertThat(reread().resources()).hasSize(20);
  }

  @Test
  void anEmptyFolderThatExistsIsMadePrivate() throws IOException {
    Files.createDirectory(path);
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxrwxrwx"));
    save(1, "x");

    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
        .isEqualTo("rwx------");
  }

  @Test
  @Conformance("ST-07")
  void aChangeOfOneResourceAmongThousandsWritesLittle() throws IOException {
    save(2000, "x".repeat(500));
    long all = content().values().stream().mapToLong(bytes -> bytes.length).sum();
    var longAgo = FileTime.from(NOW.minus(MAX_AGE));
    for (Path file : content().keySet()) {
      Files.setLastModifiedTime(file, longAgo);
    }
    folder.put(resource("r77", "y".repeat(500)));
    folder.save(TIMES);

    long written = 0;
    for (var file : content().entrySet()) {
      if (!Files.getLastModifiedTime(file.getKey()).equals(longAgo)) {
        written += file.getValue().length;
      }
    }
    assertThat(written).isLessThan(all / 20);
  }

  @Test
  void aSecondSidecarDoesNotWriteUntilTheFirstHasEnded() {
    save(3, "first");
    var second = new StateFolder(path, ORIGIN, MAX_AGE);
    second.put(resource("r0", "second"));

    assertThat(second.save(TIMES))
        .hasValueSatisfying(text -> assertThat(text).contains("another sidecar writes there"));
    assertThat(contents(reread())).containsOnly("first");
    folder.close();

    assertThat(second.save(TIMES)).isEmpty();
    assertThat(contents(reread())).containsOnly("second");
  }

  @Test
  void aFolderThatWasRemovedIsWrittenAnew() throws IOException {
    save(3, "x");
    replaceBy(Map.of());
    Files.deleteIfExists(path.resolve("lock"));
    Files.delete(path);

    assertThat(folder.save(TIMES)).isEmpty();

    assertThat(reread().resources()).hasSize(3);
  }

  private void save(int count, String content) {
    for (int i = 0; i < count; i++) {
      folder.put(resource("r" + i, content));
    }
    assertThat(folder.save(TIMES)).isEmpty();
  }

  private StateFolder.Reading reread() {
    return new StateFolder(path, ORIGIN, MAX_AGE).read(NOW);
  }

  private void assertUnusable(String what) {
    StateFolder.Reading found = reread();
    assertThat(found.resources()).as(what).isEmpty();
    assertThat(found.problem()).as(what).isPresent();
  }

  private static List<String> contents(StateFolder.Reading found) {
    return found.resources().values().stream()
        .map(kept -> new String(kept.resource().bytes(), StandardCharsets.UTF_8))
        .toList();
  }

  private Map<Path, byte[]> content() throws IOException {
    Map<Path, byte[]> content = new LinkedHashMap<>();
    try (Stream<Path> files = Files.list(path)) {
      for (Path file : files.filter(each -> !each.endsWith("lock")).sorted().toList()) {
        content.put(file, Files.readAllBytes(file));
      }
    }
    return content;
  }

  private void replaceBy(Map<Path, byte[]> files) throws IOException {
    for (Path file : content().keySet()) {
      Files.delete(file);
    }
    for (var file : files.entrySet()) {
      Files.write(file.getKey(), file.getValue());
    }
  }

  private static KeptResource resource(String name, String content) {
    return new KeptResource(
        new KeptResource.Key("", "cds", name),
        "cp:1",
        "v1",
        Instant.parse("2026-11-27T01:00:00Z"),
        new RawResource("type", content.getBytes(StandardCharsets.UTF_8)));
  }

  private static StateOrigin origin(String node, String server, String metadata) {
    return origin(node, server, metadata, Map.of());
  }

  private static StateOrigin origin(
      String node, String server, String metadata, Map<String, Bootstrap.Authority> authorities) {
    return StateOrigin.of(
        new Bootstrap(
            List.of(server(server)),
            new Node(node, "c", new Locality("r", "z", "s"), Map.of("token", metadata)),
            authorities,
            Map.of(),
            "%s",
            Optional.empty()));
  }

  private static XdsServer server(String uri) {
    return new XdsServer(
        uri, new XdsServer.ChannelCredentials.Insecure(), List.of(), ServerFeatures.NONE);
  }
}
