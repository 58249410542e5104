package io.outrigger.dataplane.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outrigger.config.listener.HttpFilter;
import io.outrigger.config.route.FilterConfig;
import io.outrigger.xds.decode.FilterDecoders;
import java.util.List;
import org.junit.jupiter.api.Test;

class HttpFiltersTest {
  private final HttpFilters filters = HttpFilters.ofProcess();

  /** Tests that each filter that can be decoded can also run. */
  @Test
  void whateverIsDecodedHasAFilter() {
    assertThat(filters.settings()).isEqualTo(FilterDecoders.settings());
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
