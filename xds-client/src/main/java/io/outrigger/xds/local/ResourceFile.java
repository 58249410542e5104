package io.outrigger.xds.local;

import com.google.protobuf.Any;
import io.outrigger.base.AnyThread;
import io.outrigger.base.Xxh64;
import io.outrigger.xds.decode.ResourceJson;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * One file as it was read last.
 *
 * @param stamp what tells at a glance that the file is still the same
 * @param seen how often in a row this stamp was found; only then is it trusted, for a file that was
 *     just written may be written again within the same tick of its clock
 * @param hash of the content
 * @param good whether {@code resources} come from a content without problems
 * @param resources what to serve: of the last good content, while there was one
 * @param problems of the present content
 */
@AnyThread
record ResourceFile(
    Path path,
    Stamp stamp,
    int seen,
    String hash,
    boolean good,
    List<NamedResource> resources,
    List<ResourceProblem> problems) {
  /** Of a file, and of the JSON that a YAML file stands for. */
  static final int MAX_SIZE = 64 << 20;

  private static final int TRUSTED =
      4; // readings a second apart; file clocks tick every 2 s at worst
  private static final YamlJson YAML = new YamlJson(MAX_SIZE);
  private static final Stamp NEVER = new Stamp(-1, Instant.EPOCH, "");

  ResourceFile {
    resources = List.copyOf(resources);
    problems = List.copyOf(problems);
  }

  /**
   * Size, time and identity of a file. A Kubernetes volume swaps a symbolic link, which changes the
   * identity behind the same path.
   */
  record Stamp(long size, Instant modified, String key) {
    static Stamp of(Path path) throws IOException {
      var attributes = Files.readAttributes(path, BasicFileAttributes.class);
      return new Stamp(
          attributes.size(),
          attributes.lastModifiedTime().toInstant(),
          String.valueOf(attributes.fileKey()));
    }
  }

  /** Whether the name says that a file holds resources. */
  static boolean isResourceFile(Path path) {
    String name = String.valueOf(path.getFileName());
    return name.endsWith(".json") || isYaml(name);
  }

  private static boolean isYaml(String name) {
    return name.endsWith(".yaml") || name.endsWith(".yml");
  }

  /**
   * Reads {@code path}, unless nothing has changed since {@code before}. Blocks for the disk.
   *
   * @param before what was read of the same path, if anything
   */
  static ResourceFile read(Path path, Optional<ResourceFile> before) {
    try {
      Stamp stamp = Stamp.of(path);
      int seen =
          before.filter(file -> file.stamp.equals(stamp)).map(file -> file.seen + 1).orElse(1);
      if (seen > TRUSTED) {
        return before.orElseThrow();
      }
      if (stamp.size() > MAX_SIZE) {
        return broken(path, stamp, before, "is larger than " + (MAX_SIZE >> 20) + " MiB");
      }
      byte[] bytes = Files.readAllBytes(path);
      String hash = HexFormat.of().toHexDigits(Xxh64.hash(bytes));
      if (before.isPresent() && before.get().hash.equals(hash)) {
        return before.get().with(stamp, seen);
      }
      return parsed(path, stamp, seen, hash, bytes, before);
    } catch (IOException e) {
      return broken(path, NEVER, before, "cannot be read: " + e);
    }
  }

  /** The same content with a problem that is not of the content. */
  static ResourceFile missing(ResourceFile before) {
    return broken(before.path, NEVER, Optional.of(before), "is not there any more");
  }

  private static ResourceFile parsed(
      Path path, Stamp stamp, int seen, String hash, byte[] bytes, Optional<ResourceFile> before) {
    List<ResourceProblem> problems = new ArrayList<>();
    List<NamedResource> resources = new ArrayList<>();
    try {
      ResourceJson.Document document = ResourceJson.parse(json(path, bytes));
      document.errors().forEach(error -> problems.add(new ResourceProblem(path, error)));
      for (Any any : document.resources()) {
        NamedResource.of(any)
            .ifPresentOrElse(
                resources::add, () -> problems.add(new ResourceProblem(path, nameless(any))));
      }
    } catch (CharacterCodingException e) {
      problems.add(new ResourceProblem(path, "is not UTF-8 text"));
    } catch (YamlJson.Unreadable e) {
      problems.add(new ResourceProblem(path, String.valueOf(e.getMessage())));
    }
    boolean good = problems.isEmpty();
    boolean keep = !good && before.map(ResourceFile::good).orElse(false);
    return new ResourceFile(
        path,
        stamp,
        seen,
        hash,
        good || keep,
        keep ? before.map(ResourceFile::resources).orElseThrow() : resources,
        problems);
  }

  private static String json(Path path, byte[] bytes)
      throws CharacterCodingException, YamlJson.Unreadable {
    String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    if (text.startsWith("\uFEFF")) {
      text = text.substring(1); // a byte order mark
    }
    return isYaml(String.valueOf(path.getFileName())) ? YAML.toJson(text) : text;
  }

  private static String nameless(Any any) {
    return "a resource of type " + any.getTypeUrl() + " has no name";
  }

  private static ResourceFile broken(
      Path path, Stamp stamp, Optional<ResourceFile> before, String reason) {
    return new ResourceFile(
        path,
        stamp,
        0,
        "",
        before.map(ResourceFile::good).orElse(false),
        before.map(ResourceFile::resources).orElse(List.of()),
        List.of(new ResourceProblem(path, reason)));
  }

  private ResourceFile with(Stamp newStamp, int nowSeen) {
    return new ResourceFile(path, newStamp, nowSeen, hash, good, resources, problems);
  }
}
