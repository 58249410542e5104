package io.outrigger.base;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IpAddressTest {
  @ParameterizedTest(name = "{0} -> {1}")
  @CsvSource({
    "10.0.0.1,                  10.0.0.1",
    "255.255.255.255,           255.255.255.255",
    "::,                        ::",
    "::1,                       ::1",
    "1::,                       1::",
    "2001:DB8:0:0:0:0:0:1,      2001:db8::1",
    "2001:db8:0:0:1:0:0:1,      2001:db8::1:0:0:1",
    "2001:db8:0:1:1:1:1:1,      2001:db8:0:1:1:1:1:1",
    "2001:0db8::0001,           2001:db8::1",
    "1:0:0:2:0:0:0:3,           1:0:0:2::3",
    "0:0:1:2:3:4:5:6,           ::1:2:3:4:5:6",
    "1:2:3:4:5:6:0:0,           1:2:3:4:5:6::",
    "64:ff9b::192.0.2.33,       64:ff9b::c000:221",
    "::ffff:10.0.0.1,           10.0.0.1",
  })
  void addressesHaveOneForm(String text, String canonical) {
    assertThat(IpAddress.canonical(text)).contains(canonical);
    assertThat(IpAddress.canonical(canonical)).contains(canonical);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "localhost",
        "orders.example.com",
        "10.0.0",
        "10.0.0.256",
        "10.0.0.01",
        "10.0.0.1.2",
        "10.0.0.+1",
        "1e3.0.0.1",
        "167772161",
        "[::1]",
        ":",
        ":::",
        "1::2::3",
        "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9",
        "12345::",
        "fe80::1%eth0",
        "fe80::1%1",
        "::1 ",
        "bad:food",
        "10.0.0.1:80",
        "１.0.0.1",
      })
  void everythingElseIsNoAddress(String text) {
    assertThat(IpAddress.canonical(text)).isEmpty();
  }
}
