package io.outrigger.base;

import static org.assertj.core.api.Assertions.assertThat;

import io.outrigger.testing.Conformance;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CidrRangeTest {
  @ParameterizedTest(name = "{0}/{1} contains {2}: {3}")
  @CsvSource({
    "10.0.0.0, 8, 10.255.255.255, true",
    "10.0.0.0, 8, 11.0.0.0, false",
    "10.0.0.0, 31, 10.0.0.1, true",
    "10.0.0.0, 31, 10.0.0.2, false",
    "10.0.0.1, 32, 10.0.0.1, true",
    "10.0.0.1, 32, 10.0.0.0, false",
    "255.255.255.255, 1, 128.0.0.0, true",
    "255.255.255.255, 1, 127.0.0.0, false",
    "10.0.0.0, 0, 200.0.0.1, true",
    "10.0.0.0, 0, ::1, false",
    "::, 0, ::1, true",
    "::, 0, 10.0.0.1, false",
    "2001:db8::, 32, 2001:db8:ffff::1, true",
    "2001:db8::, 32, 2001:db9::, false",
    "2001:db8::, 64, 2001:db8::ffff:0:0:1, true",
    "2001:db8::, 65, 2001:db8::8000:0:0:0, false",
    "2001:db8::1, 128, 2001:db8::1, true",
    "2001:db8::1, 128, 2001:db8::2, false",
    "2001:db8::1, 127, 2001:db8::, true",
    "::ffff:10.0.0.0, 104, 10.1.2.3, true",
    "::ffff:10.0.0.0, 104, 11.1.2.3, false",
    "::ffff:10.0.0.0, 128, 10.0.0.0, true",
    "::ffff:10.0.0.0, 90, 10.0.0.0, false",
    "::ffff:10.0.0.0, 90, ::1, false",
    "::ffff:10.0.0.0, 0, ::1, true",
  })
  @Conformance({"FCM-04", "A41-12"})
  void rangeContainsTheAddressesWithItsFirstBits(
      String prefix, int length, String address, boolean contained) throws UnknownHostException {
    CidrRange range = CidrRange.of(prefix, length).orElseThrow();

    assertThat(range.contains(IpAddress.of(InetAddress.getByName(address)))).isEqualTo(contained);
  }

  @ParameterizedTest(name = "{0}/{1} is {2}/{3}")
  @CsvSource({
    "10.1.2.3, 8, 10.0.0.0, 8",
    "10.1.2.3, 0, 11.0.0.0, 0",
    "10.1.2.3, 33, 10.1.2.3, 32",
    "2001:db8::1, 64, 2001:db8::2, 64",
    "2001:db8::1, 300, 2001:db8::1, 128",
    "::ffff:10.1.2.3, 104, 10.0.0.0, 8",
  })
  @Conformance("FCM-04")
  void equalRangesAreEqual(String prefix, int length, String same, int sameLength) {
    assertThat(CidrRange.of(prefix, length)).isEqualTo(CidrRange.of(same, sameLength));
  }

  @Test
  @Conformance("FCM-04")
  void rangesOfBothVersionsDiffer() {
    assertThat(CidrRange.of("0.0.0.0", 0)).isNotEqualTo(CidrRange.of("::", 0));
  }

  @ParameterizedTest
  @CsvSource({"host", "10.0.0", "''", "10.0.0.0/8", "fe80::1%eth0"})
  void namesAreNoAddresses(String text) {
    assertThat(CidrRange.of(text, 8)).isEmpty();
  }

  /** A socket on [::] reports IPv4 peers so, where the address is not made by the JDK. */
  @Test
  @Conformance("FCM-06")
  void mappedAddressIsAnIpv4Address() throws UnknownHostException {
    byte[] mapped = new byte[16];
    mapped[10] = mapped[11] = -1;
    System.arraycopy(new byte[] {10, 1, 2, 3}, 0, mapped, 12, 4);

    assertThat(IpAddress.of(Inet6Address.getByAddress(null, mapped, -1)))
        .isEqualTo(IpAddress.of(InetAddress.getByName("10.1.2.3")));
  }

  @ParameterizedTest(name = "{0} is loopback: {1}")
  @CsvSource({
    "127.0.0.1, true",
    "127.255.0.3, true",
    "128.0.0.1, false",
    "::1, true",
    "::2, false",
    "7f00::1, false"
  })
  void loopbackAddresses(String address, boolean expected) throws UnknownHostException {
    assertThat(IpAddress.of(InetAddress.getByName(address)).isLoopback()).isEqualTo(expected);
  }
}
