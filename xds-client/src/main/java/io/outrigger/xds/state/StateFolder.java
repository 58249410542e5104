package io.outrigger.xds.state;

import io.outrigger.base.AnyThread;
import io.outrigger.base.RegularFile;
import io.outrigger.xds.RawResource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files in the folder of the option {@code --state}.
 *
 * <p>The resources are divided among up to 64 part files by the hash of their names. A change of
 * one resource among thousands writes only one small part and the index. A part is named after its
 * content and never changes. The index file lists the parts of one configuration; a rename replaces
 * the old index file. A process that is killed during a save leaves either the old or the new
 * configuration.
 *
 * <p>Only one process may write to the folder. Methods block, and must be called one after the
 * other.
 */
@AnyThread
public final class StateFolder {
  static final String INDEX = "state";
  private static final String LOCK = "lock";
  private static final String PART = ".part";
  private static final String TEMPORARY = ".tmp";
  private static final Pattern REMOVABLE =
      Pattern.compile("[0-9a-f]{16}\\.part(\\.tmp)?|state\\.tmp");
  private static final Path PROCESS = Path.of("/proc/self"); // owned by the user of this process
  private static final int PARTS = 64;
  private static final int MAX_FILE_BYTES =
      (int) Math.min(256 << 20, Runtime.getRuntime().maxMemory() / 4);

  private static final Set<PosixFilePermission> PRIVATE_FILE =
      PosixFilePermissions.fromString("rw-------");
  private static final Set<PosixFilePermission> PRIVATE_FOLDER =
      PosixFilePermissions.fromString("rwx------");

  private final Path folder;
  private final StateOrigin origin;
  private final Duration maxAge;
  private final List<Part> parts = Stream.generate(Part::new).limit(PARTS).toList();
  private @Nullable FileLock lock;

  private static final class Part {
    final Map<KeptResource.Key, KeptResource> resources = new LinkedHashMap<>();
    String file = ""; // the name of the file; empty if there is no file
    boolean isChanged;
  }

  public StateFolder(Path folder, StateOrigin origin, Duration maxAge) {
    this.folder = folder;
    this.origin = origin;
    this.maxAge = maxAge;
  }

  /**
   * The usable resources that were found in the folder.
   *
   * @param times the time at which the resources of each authority were last known to be current
   * @param problem why no resource is usable; empty if there are resources, or if nothing was saved
   */
  public record Reading(
      Map<KeptResource.Key, KeptResource> resources,
      Map<String, Instant> times,
      Optional<String> problem) {
    public static final Reading EMPTY = new Reading(Map.of(), Map.of(), Optional.empty());

    public Reading {
      resources = Map.copyOf(resources);
      times = Map.copyOf(times);
    }
  }

  public Path path() {
    return folder;
  }

  public Duration maxAge() {
    return maxAge;
  }

  public Reading read(Instant now) {
    Reading first = readOnce(now);
    // Another process may have replaced the parts after the index was read.
    return first.problem().isPresent() ? readOnce(now) : first;
  }

  private Reading readOnce(Instant now) {
    if (!Files.exists(folder.resolve(INDEX))) {
      return Reading.EMPTY;
    }
    try {
      StateFormat.Index index = StateFormat.readIndex(content(INDEX));
      Optional<String> difference = index.origin().differenceFrom(origin);
      if (difference.isPresent()) {
        return unusable(difference.get());
      }
      Optional<String> age = unusableAge(index.newest(), now);
      if (age.isPresent()) {
        return unusable(age.get());
      }
      Map<KeptResource.Key, KeptResource> resources = new HashMap<>();
      for (String part : index.parts()) {
        StateFormat.readPart(part, content(part + PART))
            .forEach(resource -> resources.put(resource.key(), resource));
      }
      resources.values().forEach(this::put);
      return new Reading(resources, index.times(), Optional.empty());
    } catch (StateFormat.Damaged damaged) {
      return unusable(String.valueOf(damaged.getMessage()));
    } catch (IOException unparsable) {
      return unusable("is damaged: " + unparsable.getMessage());
    } catch (RuntimeException | OutOfMemoryError failure) {
      return unusable("cannot be read: " + reason(failure));
    }
  }

  private Reading unusable(String reason) {
    return new Reading(
        Map.of(),
        Map.of(),
        Optional.of("the state in " + folder + " " + reason + "; it is not used"));
  }

  /** Returns why resources that were stored at a given time are unusable; empty if usable. */
  public Optional<String> unusableAge(Instant at, Instant now) {
    Duration age = Duration.between(at, now);
    // If the stored time is far in the future, the resources would be usable for too long.
    if (age.negated().compareTo(maxAge) > 0) {
      return Optional.of("is of " + at + ", which is in the future");
    }
    return age.compareTo(maxAge) > 0
        ? Optional.of(
            "is %d s old, and --state-max-age is %d s"
                .formatted(age.toSeconds(), maxAge.toSeconds()))
        : Optional.empty();
  }

  private byte[] content(String name) throws IOException {
    Path file = folder.resolve(name);
    byte[] content;
    try {
      content = RegularFile.read(file.toString(), MAX_FILE_BYTES);
    } catch (RegularFile.Unreadable unreadable) {
      throw new StateFormat.Damaged("is incomplete: " + name + " " + unreadable.reason());
    }
    // Another user who may write to the folder must not decide where calls go.
    if (Files.exists(PROCESS) && !Files.getOwner(file).equals(Files.getOwner(PROCESS))) {
      throw new StateFormat.Damaged(
          "belongs to user %s, and this process runs as user %s: delete it, or run as that user"
              .formatted(Files.getOwner(file), Files.getOwner(PROCESS)));
    }
    return content;
  }

  /**
   * Makes and locks the folder, and tries to write a file.
   *
   * @return why {@link #save} would fail; empty if {@link #save} would succeed
   */
  public Optional<String> open() {
    try {
      lock();
      Path unused = folder.resolve(INDEX + TEMPORARY);
      write(unused, new byte[1]);
      Files.delete(unused);
      return Optional.empty();
    } catch (IOException | RuntimeException | OutOfMemoryError failure) {
      return Optional.of(unwritable(failure));
    }
  }

  public void put(KeptResource resource) {
    Part part = partOf(resource.key());
    part.resources.put(resource.key(), resource);
    part.isChanged = true;
  }

  public void retain(Set<KeptResource.Key> keys) {
    parts.forEach(part -> part.isChanged |= part.resources.keySet().retainAll(keys));
  }

  public void remove(KeptResource.Key key) {
    Part part = partOf(key);
    part.isChanged |= part.resources.remove(key) != null;
  }

  private Part partOf(KeptResource.Key key) {
    return parts.get(Math.floorMod(key.hashCode(), PARTS));
  }

  /**
   * Writes the changes since the last successful call.
   *
   * @return empty after a success; otherwise the reason for the failure. After a failure, the files
   *     contain either the old or the new configuration
   */
  public Optional<String> save(Map<String, Instant> times) {
    try {
      lock();
      for (Part part : parts) {
        if (part.isChanged) {
          save(part);
        }
      }
      replace(INDEX, StateFormat.write(new StateFormat.Index(origin, times, files())));
      parts.forEach(part -> part.isChanged = false);
      removeOthers();
      return Optional.empty();
    } catch (IOException | RuntimeException | OutOfMemoryError failure) {
      return Optional.of(unwritable(failure));
    }
  }

  private String unwritable(Throwable failure) {
    return "the state cannot be written to %s: %s".formatted(folder, reason(failure));
  }

  private void save(Part part) throws IOException {
    if (part.resources.isEmpty()) {
      part.file = "";
      return;
    }
    byte[] content = StateFormat.write(part.resources.values());
    String name = StateFormat.nameOf(content);
    if (!name.equals(part.file)) {
      replace(name + PART, content);
      part.file = name;
    }
  }

  private List<String> files() {
    return parts.stream().map(part -> part.file).filter(name -> !name.isEmpty()).toList();
  }

  private void replace(String name, byte[] content) throws IOException {
    Path temporary = folder.resolve(name + TEMPORARY);
    write(temporary, content);
    Files.move(temporary, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
  }

  private static void write(Path temporary, byte[] content) throws IOException {
    Files.deleteIfExists(temporary); // left by a process that was killed
    try (FileChannel out =
        FileChannel.open(
            temporary,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PRIVATE_FILE))) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        out.write(bytes);
      }
      out.force(false); // otherwise the file could be empty after a power failure
    }
  }

  /** Removes the parts of earlier configurations, and incomplete files. */
  private void removeOthers() throws IOException {
    List<String> current = files().stream().map(name -> name + PART).toList();
    for (Path file : listed()) {
      String name = String.valueOf(file.getFileName());
      if (REMOVABLE.matcher(name).matches() && !current.contains(name)) {
        Files.deleteIfExists(file);
      }
    }
  }

  private List<Path> listed() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList();
    }
  }

  private void lock() throws IOException {
    if (lock != null && Files.exists(folder.resolve(LOCK))) {
      return;
    }
    unlock();
    Files.createDirectories(folder, PosixFilePermissions.asFileAttribute(PRIVATE_FOLDER));
    if (listed().isEmpty()) {
      try {
        Files.setPosixFilePermissions(folder, PRIVATE_FOLDER);
      } catch (FileSystemException ofAnotherOwner) {
        // Another user owns the folder, as root owns an emptyDir. The folder is accepted, because
        // the modes of the files keep other users from reading them.
      }
    }
    FileChannel channel =
        FileChannel.open(
            folder.resolve(LOCK),
            // READ is set, too: if the file is a pipe, opening it only for writing would block.
            Set.of(
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                LinkOption.NOFOLLOW_LINKS),
            PosixFilePermissions.asFileAttribute(PRIVATE_FILE));
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException held) {
      // Another sidecar in this JVM holds the lock, as in tests.
    }
    if (lock == null) {
      channel.close();
      throw new IOException("another sidecar writes there; give each sidecar a folder of its own");
    }
    for (Part part : parts) { // the folder may be new, or changed by another process
      part.isChanged = true;
      part.file = "";
    }
  }

  private void unlock() throws IOException {
    FileLock held = lock;
    lock = null;
    if (held != null) {
      held.acquiredBy().close();
    }
  }

  /** Must be called last. */
  public void close() {
    try {
      unlock();
    } catch (IOException lost) {
      // The system releases the lock at the end of the process.
    }
  }

  private static String reason(Throwable failure) {
    if (failure instanceof FileAlreadyExistsException) {
      return "it is not a folder; name a folder";
    }
    if (failure instanceof NoSuchFileException) {
      return "the folder does not exist and cannot be made there; name another";
    }
    if (failure instanceof DirectoryNotEmptyException folder) {
      return "%s is a folder; delete it".formatted(folder.getFile());
    }
    String reason = RegularFile.reason(failure);
    return failure instanceof IOException
        ? reason + "; make the folder writable, with enough free space, or name another folder"
        : reason;
  }

  /**
   * A saved resource.
   *
   * @param server the URI of the control plane that sent the resource
   * @param at when the resource was received
   */
  public record KeptResource(
      Key key, String server, String version, Instant at, RawResource resource) {
    /**
     * @param scope the target whose client holds the resource; empty if all targets share a client
     * @param type the label of the resource type, such as {@code lds}
     */
    public record Key(String scope, String type, String name) {}
  }
}
