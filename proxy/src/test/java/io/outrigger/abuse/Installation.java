package io.outrigger.abuse;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;

/**
 * The program as it is installed, launcher and JVM flags included, with the classes under test: a
 * jar without content names the class path. {@code outrigger.abuse.program} names another launcher.
 */
final class Installation {
  private Installation() {}

  /** The launcher; {@code folder} is where it is laid out. */
  static Path launcher(Path folder) {
    String given = System.getProperty("outrigger.abuse.program", "");
    if (!given.isEmpty()) {
      return Path.of(given);
    }
    Path project = Path.of("").toAbsolutePath();
    Path root = Files.exists(project.resolve("docker")) ? project : project.getParent();
    try {
      Path launcher = folder.resolve("bin/outrigger");
      Files.createDirectories(launcher.getParent());
      Files.copy(root.resolve("proxy/src/main/dist/bin/outrigger"), launcher);
      if (!launcher.toFile().setExecutable(true)) {
        throw new IOException("cannot make " + launcher + " executable");
      }
      for (String flags : new String[] {"jvm.options", "jvm-24.options"}) {
        Files.copy(root.resolve("docker").resolve(flags), folder.resolve(flags));
      }
      Files.createDirectories(folder.resolve("lib"));
      var manifest = new Manifest();
      manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
      manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, classPath());
      new JarOutputStream(Files.newOutputStream(folder.resolve("lib/outrigger.jar")), manifest)
          .close();
      return launcher;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String classPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .map(entry -> Path.of(entry).toUri().toString())
        .collect(Collectors.joining(" "));
  }
}
