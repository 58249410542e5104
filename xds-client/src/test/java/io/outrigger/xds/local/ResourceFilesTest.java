package io.outrigger.xds.local;

import static io.outrigger.xds.ResourceType.CLUSTER;
import static io.outrigger.xds.ResourceType.ENDPOINT;
import static io.outrigger.xds.ResourceType.LISTENER;
import static io.outrigger.xds.testing.JsonResources.cluster;
import static io.outrigger.xds.testing.JsonResources.endpoints;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Any;
import io.outrigger.base.RpcStatus;
import io.outrigger.xds.testing.JsonResources;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResourceFilesTest {
  private final Path temp;
  private final ResourceFolder folder;
  private ResourceFiles files = ResourceFiles.NONE;

  ResourceFilesTest(@TempDir Path temp) {
    this.temp = temp;
    folder = new ResourceFolder(temp);
  }

  private ResourceFiles read(Path... roots) {
    files = ResourceFiles.read(roots.length == 0 ? List.of(temp) : List.of(roots), files);
    return files;
  }

  private Set<String> clusters() {
    return files.snapshot().ofType(CLUSTER).resources().keySet();
  }

  private List<String> problems() {
    return files.problems().stream()
        .map(problem -> problem.toString().replace(temp.toString(), "TEMP"))
        .toList();
  }

  @Test
  void filesOfAFolderAreMerged() {
    folder.write("a.json", cluster("a"), cluster("b")).write("b.json", endpoints("a", "10.0.0.1"));
    folder.writeText(
        "c.yaml",
        """
        resources:
        - "@type": type.googleapis.com/envoy.config.cluster.v3.Cluster
          name: c
        """);
    folder.writeText("notes.txt", "not a resource").writeText(".hidden.json", "neither");

    read();

    assertThat(clusters()).containsExactly("a", "b", "c");
    assertThat(files.snapshot().ofType(ENDPOINT).resources()).containsOnlyKeys("a");
    assertThat(files.problems()).isEmpty();
  }

  @Test
  void emptyListIsFine() {
    folder.write("a.json");

    read();

    assertThat(files.problems()).isEmpty();
    assertThat(files.snapshot().size()).isZero();
  }

  @Test
  void problemsNameFilePlaceAndReason() {
    folder.writeText("a.json", "{\"resources\": [").writeText("b.json", "[]");
    folder.write(
        "c.json",
        cluster("good"),
        "{\"@type\":\"type.googleapis.com/envoy.config.cluster.v3.Cluster\",\"name\":\"x\","
            + "\"lb_polcy\":1}");
    folder.write("d.json", cluster("good")).writeText("e.yaml", "a: [");
    folder.write("f.json", "{\"@type\":\"type.googleapis.com/envoy.config.cluster.v3.Cluster\"}");

    read(temp, temp.resolve("gone"), temp.resolve("g.txt"));

    assertThat(problems())
        .anySatisfy(p -> assertThat(p).startsWith("TEMP/a.json: not JSON"))
        .anySatisfy(p -> assertThat(p).startsWith("TEMP/b.json: must be an object"))
        .anySatisfy(
            p ->
                assertThat(p)
                    .startsWith("TEMP/c.json:2:124: resources[1] (Cluster \"x\"): ")
                    .contains("lb_polcy"))
        .anySatisfy(p -> assertThat(p).startsWith("TEMP/e.yaml:1:5: not YAML"))
        .anySatisfy(p -> assertThat(p).startsWith("TEMP/f.json:1:15: ").endsWith("has no name"))
        .contains(
            "TEMP/d.json:1:15: cluster \"good\": is defined already in TEMP/c.json; remove one of"
                + " the two",
            "TEMP/gone: no such file or folder; check the path");
  }

  @Test
  void aDefinitionInUseStaysWhenAFileBeforeItTakesItsName() {
    folder.write("b.json", cluster("a"));
    Any used = read().snapshot().ofType(CLUSTER).resources().get("a");

    folder.write("a.json", otherCluster("a"));

    var clusters = read().snapshot().ofType(CLUSTER);
    assertThat(clusters.resources()).containsExactly(Map.entry("a", used));
    assertThat(clusters.errors().get("a").message()).contains("is defined already in", "/b.json;");
    assertThat(problems()).singleElement().asString().startsWith("TEMP/a.json:1:15: cluster");

    folder.write("b.json", cluster("new"), otherCluster("a").replace(":1,", ":2,"));

    Any edited = read().snapshot().ofType(CLUSTER).resources().get("a");
    assertThat(edited).as("an edit of the file in use").isNotEqualTo(used);
    assertThat(problems()).singleElement().asString().startsWith("TEMP/a.json:1:15: cluster");

    folder.delete("b.json");

    clusters = read().snapshot().ofType(CLUSTER);
    assertThat(clusters.resources().get("a")).isNotEqualTo(used).isNotEqualTo(edited);
    assertThat(clusters.errors()).isEmpty();
  }

  private static String otherCluster(String name) {
    return cluster(name).replace("\"name\"", "\"lb_policy\":1,\"name\"");
  }

  @Test
  void anAddressIsServedByOneListenerOnly() {
    folder.write("a.json", listener("a", "0::1", 80, ""));
    folder.write(
        "b.json",
        listener("same", "::1", 80, ""),
        listener("other-port", "::1", 81, ""),
        listener("any-port", "::1", 0, ""),
        listener("again-any-port", "::1", 0, ""),
        listener("of-clients", "::1", 80, ",\"api_listener\":{}"));

    read();

    assertThat(problems())
        .containsExactly(
            "TEMP/b.json:1:15: listener \"same\": has the address of another listener in"
                + " TEMP/a.json; remove one of the two");
    assertThat(files.snapshot().ofType(LISTENER).resources())
        .containsOnlyKeys("a", "other-port", "any-port", "again-any-port", "of-clients");
  }

  @Test
  void anAddressInUseStaysWithItsListener() {
    folder.write("50-b.json", at(8080, "one")).write("60-c.json", at(9090, "two"));
    read();

    folder.write("10-a.json", at(8080, "intruder"));
    assertListeners(Map.of("one", 8080, "two", 9090));
    assertThat(errors()).containsOnlyKeys("intruder");

    folder.write("10-a.json", at(9090, "one"));
    assertListeners(Map.of("one", 8080, "two", 9090));

    folder.write("60-c.json", at(8080, "two"), at(8081, "three"));
    assertListeners(Map.of("one", 8080, "two", 9090, "three", 8081));
    assertThat(errors()).containsOnlyKeys("one", "two");

    folder.write("10-a.json", at(9090, "four"));
    assertListeners(Map.of("one", 8080, "two", 9090, "three", 8081));

    folder.write("50-b.json", at(9090, "one")).write("10-a.json");
    assertListeners(Map.of("one", 9090, "two", 8080, "three", 8081));
    assertThat(errors()).isEmpty();
  }

  private void assertListeners(Map<String, Integer> ports) {
    read();
    read(); // the next reading of the same files changes nothing
    Map<String, Any> expected = new HashMap<>();
    ports.forEach((name, port) -> expected.put(name, JsonResources.any(at(port, name))));
    assertThat(files.snapshot().ofType(LISTENER).resources()).isEqualTo(expected);
  }

  private Map<String, RpcStatus> errors() {
    return files.snapshot().ofType(LISTENER).errors();
  }

  private static String at(int port, String name) {
    return listener(name, "::1", port, "");
  }

  private static String listener(String name, String ip, int port, String more) {
    return "{\"@type\":\"type.googleapis.com/envoy.config.listener.v3.Listener\",\"name\":\"%s\","
            .formatted(name)
        + "\"address\":{\"socket_address\":{\"address\":\"%s\",\"port_value\":%s}}%s}"
            .formatted(ip, port, more);
  }

  @Test
  void fileOfAnotherKindIsRefusedWhenNamed() {
    folder.writeText("g.txt", "{}");

    read(temp.resolve("g.txt"));

    assertThat(problems()).containsExactly("TEMP/g.txt: must end in .json, .yaml or .yml");
  }

  @Test
  void folderWithoutResourceFilesIsReported() {
    read();

    assertThat(problems()).containsExactly("TEMP: holds no .json, .yaml or .yml file");
  }

  @Test
  void fileThatGoesBadKeepsItsLastGoodResources() {
    folder.write("a.json", cluster("a"), cluster("b")).write("b.json", cluster("c"));
    read();

    folder.write("a.json", cluster("a"), "{\"@type\":1}").write("b.json", cluster("d"));
    read();
    assertThat(clusters()).containsExactly("a", "b", "d");
    assertThat(problems()).hasSize(1);

    folder.writeText("a.json", "{");
    read();
    assertThat(clusters()).containsExactly("a", "b", "d");

    folder.write("a.json", cluster("e"));
    read();
    assertThat(clusters()).containsExactly("d", "e");
    assertThat(problems()).isEmpty();
  }

  @Test
  void whatCanBeReadOfAFileThatWasNeverGoodIsUsed() {
    folder.write("a.json", cluster("a"), "{\"@type\":1}");

    read();
    assertThat(clusters()).containsExactly("a");
    folder.write("a.json", cluster("b"), "{\"@type\":1}");
    read();

    assertThat(clusters()).containsExactly("b");
  }

  @Test
  void removedFileTakesItsResourcesAlong() {
    folder.write("a.json", cluster("a")).write("b.json", cluster("b"));
    read();

    folder.delete("a.json");
    read();

    assertThat(clusters()).containsExactly("b");
    assertThat(files.problems()).isEmpty();
  }

  @Test
  void pathThatVanishesKeepsItsResources() throws IOException {
    Path inner = Files.createDirectory(temp.resolve("inner"));
    new ResourceFolder(inner).write("a.json", cluster("a"));
    read(inner);

    Files.delete(inner.resolve("a.json"));
    Files.delete(inner);
    read(inner);

    assertThat(clusters()).containsExactly("a");
    assertThat(problems())
        .contains(
            "TEMP/inner: no such file or folder; check the path",
            "TEMP/inner/a.json: is not there any more");
    Files.createDirectory(inner);
    new ResourceFolder(inner).write("a.json", cluster("b"));
    read(inner);
    assertThat(clusters()).containsExactly("b");
  }

  @Test
  void aFileThatVanishesIsReportedOnce() {
    Path file = temp.resolve("a.json");
    folder.write("a.json", cluster("a"));
    read(file);

    folder.delete("a.json");
    read(file);

    assertThat(clusters()).containsExactly("a");
    assertThat(problems()).containsExactly("TEMP/a.json: is not there any more");
  }

  @Test
  void swappedLinkOfAKubernetesVolumeIsSeen() throws IOException {
    Path one = Files.createDirectory(temp.resolve("..2026_01"));
    Path two = Files.createDirectory(temp.resolve("..2026_02"));
    new ResourceFolder(one).write("a.json", cluster("a"));
    new ResourceFolder(two).write("a.json", cluster("b"));
    FileTime same = FileTime.from(Instant.parse("2026-01-01T00:00:00Z"));
    Files.setLastModifiedTime(one.resolve("a.json"), same);
    Files.setLastModifiedTime(two.resolve("a.json"), same);
    Files.createSymbolicLink(temp.resolve("..data"), one.getFileName());
    Files.createSymbolicLink(temp.resolve("a.json"), Path.of("..data", "a.json"));
    for (int i = 0; i < 10; i++) {
      read();
    }
    assertThat(clusters()).containsExactly("a");

    Files.delete(temp.resolve("..data"));
    Files.createSymbolicLink(temp.resolve("..data"), two.getFileName());
    read();

    assertThat(clusters()).containsExactly("b");
  }

  @Test
  void rewriteWithinOneTickOfTheFileClockIsSeen() throws IOException {
    FileTime same = FileTime.from(Instant.parse("2026-01-01T00:00:00Z"));
    folder.write("a.json", cluster("a"));
    Files.setLastModifiedTime(temp.resolve("a.json"), same);
    read();

    folder.write("a.json", cluster("b"));
    Files.setLastModifiedTime(temp.resolve("a.json"), same);
    read();

    assertThat(clusters()).containsExactly("b");
  }

  @Test
  void unchangedFilesKeepTheSnapshot() {
    folder.write("a.json", cluster("a"));
    ResourceFiles first = read();

    for (int i = 0; i < 10; i++) {
      read();
    }

    assertThat(files.snapshot().sameAs(first.snapshot())).isTrue();
    WatchedFile<List<NamedResource>> settled = files.files().get(temp.resolve("a.json"));
    read();
    assertThat(files.files().get(temp.resolve("a.json"))).isSameAs(settled);
  }

  @Test
  void versionFollowsTheContentOfItsTypeAlone() {
    folder.write("a.json", cluster("a"), endpoints("a", "10.0.0.1"));
    ResourceSnapshot before = read().snapshot();

    folder.write("a.json", endpoints("a", "10.0.0.2"), cluster("a"));
    ResourceSnapshot after = read().snapshot();

    assertThat(after.ofType(CLUSTER).version()).isEqualTo(before.ofType(CLUSTER).version());
    assertThat(after.ofType(ENDPOINT).version()).isNotEqualTo(before.ofType(ENDPOINT).version());
  }
}
