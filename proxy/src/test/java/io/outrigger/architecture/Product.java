package io.outrigger.architecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The product's classes and sources, without the tests. */
final class Product {
  static final JavaClasses CLASSES =
      new ClassFileImporter().withImportOption(Product::isNoTest).importPackages("io.outrigger");

  private Product() {}

  /** Main sources of {@code modules}; tests run in the folder of the module {@code proxy}. */
  static List<Path> sources(String... modules) {
    return Stream.of(modules)
        .map(m -> Path.of("..", m, "src", "main", "java"))
        .flatMap(Product::javaFiles)
        .toList();
  }

  private static Stream<Path> javaFiles(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(f -> f.toString().endsWith(".java")).sorted().toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isNoTest(Location location) {
    return !location.contains("/test-classes/") && !location.contains("-tests.jar");
  }
}
