package io.outrigger.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.AsciiString;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Names that have exactly one object. */
final class HeaderNameTest {
  @ParameterizedTest
  @EnumSource(value = KnownName.class, names = "OTHER", mode = Mode.EXCLUDE)
  void aKnownNameIsOneObjectWhoeverAsksForIt(KnownName known) {
    HeaderName name = HeaderName.of(known);

    assertThat(name.known()).isEqualTo(known);
    assertThat(name).hasToString(known.text());
    assertThat(HeaderName.of(new AsciiString(known.text()))).isSameAs(name);
  }
}
