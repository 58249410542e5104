package io.outrigger.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a package shows. */
class ShapeRulesTest {
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
  void everyPackageIsNamedForAConcept() {
    Product.CLASSES.stream()
        .map(JavaClass::getPackage)
        .distinct()
        .forEach(home -> assertThat(NAMES_WITHOUT_MEANING).doesNotContain(lastPart(home)));
  }

  private static String lastPart(JavaPackage home) {
    return home.getName().substring(home.getName().lastIndexOf('.') + 1);
  }
}
