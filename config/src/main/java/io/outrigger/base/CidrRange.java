package io.outrigger.base;

import java.util.Optional;

/**
 * A range of IP addresses that have a common prefix.
 *
 * @param network the first address of the range
 * @param length the number of prefix bits, at most 32 for IPv4 and 128 for IPv6
 */
public record CidrRange(IpAddress network, int length) {
  public static final int MAX_LENGTH = 128;

  private static final int V4_BITS = 32;
  private static final int MAPPED_BITS = 96;

  public CidrRange {
    length = Math.min(length, network.isV6() ? MAX_LENGTH : V4_BITS);
    network =
        new IpAddress(
            network.isV6(),
            network.high() & highMask(network, length),
            network.low() & lowMask(network, length));
  }

  /**
   * Returns a range; empty if {@code address} is not a literal IP address. An IPv4-mapped address
   * with at least 96 prefix bits becomes an IPv4 range, because {@link IpAddress} turns IPv4-mapped
   * addresses into IPv4 addresses. {@code length} is limited to the bits of the address.
   */
  public static Optional<CidrRange> of(String address, int length) {
    Optional<IpAddress> ip = IpAddress.parse(address);
    boolean isMapped = address.indexOf(':') >= 0 && ip.isPresent() && !ip.get().isV6();
    if (!isMapped) {
      return ip.map(network -> new CidrRange(network, length));
    }
    return ip.map(
        v4 ->
            length >= MAPPED_BITS
                ? new CidrRange(v4, length - MAPPED_BITS)
                : new CidrRange(new IpAddress(true, 0, IpAddress.MAPPED | v4.low()), length));
  }

  public boolean contains(IpAddress address) {
    return address.isV6() == network.isV6()
        && (address.high() & highMask(network, length)) == network.high()
        && (address.low() & lowMask(network, length)) == network.low();
  }

  private static long highMask(IpAddress network, int length) {
    return network.isV6() ? mask(length) : 0;
  }

  private static long lowMask(IpAddress network, int length) {
    return network.isV6() ? mask(length - Long.SIZE) : mask(length + V4_BITS);
  }

  private static long mask(int bits) {
    return bits <= 0 ? 0 : bits >= Long.SIZE ? -1 : -1L << (Long.SIZE - bits);
  }
}
