package io.outrigger.dataplane.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.rbac.Rbac;
import io.outrigger.config.route.FilterConfig;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class HttpFiltersTest {
  private final HttpFilters filters = HttpFilters.ofProcess();

  /** Tests that a filter can run with each kind of settings that exists. */
  @Test
  void whateverIsDecodedHasAFilter() {
    var settingsClasses =
        new ClassFileImporter()
            .importPackages("io.outrigger.config").stream()
                .filter(each -> each.isAssignableTo(FilterConfig.class) && !each.isInterface())
                .filter(each -> !each.isEquivalentTo(FilterConfig.Disabled.class)) // an override
                .map(JavaClass::getFullName)
                .toList();
    List<FilterConfig> known =
        List.of(
            new FilterConfig.Router(),
            new FilterConfig.Fault(Optional.empty(), Optional.empty(), Optional.empty()),
            FilterConfig.StatefulSession.OFF,
            new Rbac(Optional.empty()));

    assertThat(known)
        .extracting(each -> each.getClass().getName())
        .containsExactlyInAnyOrderElementsOf(settingsClasses);
    for (FilterConfig settings : known) {
      var filter = new HttpFilter("any", settings);
      assertThat(filters.chain(List.of(filter), List.of()).isEmpty()).isTrue();
    }
  }

  @Test
  void settingsThatNoFilterHasAreRefusedAndNotPassedOver() {
    record Unknown() implements FilterConfig {}

    assertThatThrownBy(
            () -> filters.chain(List.of(new HttpFilter("unknown", new Unknown())), List.of()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no filter for " + Unknown.class.getName());
  }
}
