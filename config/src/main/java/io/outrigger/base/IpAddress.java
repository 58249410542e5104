package io.outrigger.base;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * An IP address as numbers, which compares without allocation. An IPv4-mapped IPv6 address, which a
 * socket on {@code [::]} reports for an IPv4 peer, is the IPv4 address that it maps.
 *
 * @param high the upper half of an IPv6 address; 0 for IPv4
 * @param low the lower half of an IPv6 address, or the IPv4 address
 */
@AnyThread
public record IpAddress(boolean isV6, long high, long low) {
  static final long MAPPED = 0xFFFF_0000_0000L;

  private static final long UINT32 = 0xFFFF_FFFFL;
  private static final int V4_LOOPBACK = 127;

  public static IpAddress of(InetAddress address) {
    ByteBuffer bytes = ByteBuffer.wrap(address.getAddress());
    if (!(address instanceof Inet6Address)) {
      return new IpAddress(false, 0, bytes.getInt() & UINT32);
    }
    long high = bytes.getLong();
    long low = bytes.getLong();
    return high == 0 && (low & ~UINT32) == MAPPED
        ? new IpAddress(false, 0, low & UINT32)
        : new IpAddress(true, high, low);
  }

  public static Optional<IpAddress> parse(String text) {
    return IpLiteral.canonical(text).map(IpAddress::literal);
  }

  @SuppressWarnings("AddressSelection") // a literal address is not looked up
  private static IpAddress literal(String canonical) {
    try {
      return of(InetAddress.getByName(canonical));
    } catch (UnknownHostException e) {
      throw new AssertionError(canonical, e);
    }
  }

  public boolean isLoopback() {
    return isV6 ? high == 0 && low == 1 : low >> 24 == V4_LOOPBACK;
  }

  @Override
  public String toString() {
    ByteBuffer bytes =
        isV6
            ? ByteBuffer.allocate(Long.BYTES * 2).putLong(high).putLong(low)
            : ByteBuffer.allocate(Integer.BYTES).putInt((int) low);
    try {
      return InetAddress.getByAddress(bytes.array()).getHostAddress();
    } catch (UnknownHostException impossible) { // the length is that of an address
      throw new IllegalStateException(impossible);
    }
  }
}
