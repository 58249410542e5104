package io.outrigger.xds.decode;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class FilterDecodersTest {
  /** A misspelt type would never be met, or could not be written in a file or shown. */
  @Test
  void everyTypeIsThatOfAKnownMessage() {
    for (FilterDecoder decoder : FilterDecoders.ALL.decoders()) {
      assertThat(KnownTypes.all().find(decoder.typeName())).isNotNull();
      assertThat(KnownTypes.all().find(decoder.overrideTypeName())).isNotNull();
    }
  }

  @Test
  void noTwoFiltersAreForOneTypeOfAListenerOrARoute() {
    List<FilterDecoder> all = FilterDecoders.ALL.decoders();

    assertThat(all).extracting(FilterDecoder::typeName).doesNotHaveDuplicates();
    assertThat(all).extracting(FilterDecoder::overrideTypeName).doesNotHaveDuplicates();
  }

  @Test
  void messagesNameFiltersByTheirPackages() {
    assertThat(FilterDecoders.CLIENT.names()).isEqualTo("router, fault, stateful_session");
    assertThat(FilterDecoders.SERVER.names()).isEqualTo("router, rbac");
  }
}
