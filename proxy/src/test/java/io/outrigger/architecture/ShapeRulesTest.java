package io.outrigger.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a package shows, and how long a file may grow. */
class ShapeRulesTest {
  /** A few files are near it, for good reasons: what can only be read together belongs together. */
  private static final int MAX_LINES = 500;

  private static final List<String> NAMES_WITHOUT_MEANING =
      List.of("util", "utils", "common", "impl", "helper", "helpers", "misc");

  /** Packages that do not exist yet are passed over; a second public class is not. */
  @ParameterizedTest(name = "io.outrigger.lb.{0}")
  @ValueSource(
      strings = {
        "priority",
        "locality",
        "cluster",
        "endpoint",
        "endpoint.least",
        "endpoint.ring",
        "endpoint.weighted",
        "outlier",
        "override"
      })
  void aPolicyPackageShowsOneClass(String policy) {
    List<String> shown =
        Product.CLASSES.stream()
            .filter(type -> type.getPackageName().equals("io.outrigger.lb." + policy))
            .filter(JavaClass::isTopLevelClass)
            .filter(type -> type.getModifiers().contains(JavaModifier.PUBLIC))
            .map(JavaClass::getSimpleName)
            .toList();

    assertThat(shown).hasSizeLessThanOrEqualTo(1);
  }

  @Test
  void everyPackageIsNullMarkedAndNamedForAConcept() {
    Product.CLASSES.stream()
        .map(JavaClass::getPackage)
        .distinct()
        .forEach(
            home -> {
              assertThat(home.isAnnotatedWith(NullMarked.class)).as("%s", home.getName()).isTrue();
              assertThat(NAMES_WITHOUT_MEANING).doesNotContain(lastPart(home));
            });
  }

  @Test
  void noFileIsTooLongToRead() throws IOException {
    for (Path source : Product.sources("config", "xds-client", "lb", "proxy")) {
      List<String> lines = Files.readAllLines(source);
      if (!lines.get(0).startsWith("// Generated")) {
        assertThat(lines).as("lines of %s", source).hasSizeLessThanOrEqualTo(MAX_LINES);
      }
    }
  }

  private static String lastPart(JavaPackage home) {
    return home.getName().substring(home.getName().lastIndexOf('.') + 1);
  }
}
