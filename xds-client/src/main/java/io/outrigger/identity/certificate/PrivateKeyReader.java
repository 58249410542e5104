package io.outrigger.identity.certificate;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.List;
import java.util.Optional;

/**
 * Reads the private key of a PEM file in the form PKCS #8, PKCS #1 or SEC 1. The key may be an RSA
 * key, an EC key on a NIST curve, or an Ed25519 key (A29-12). The JDK reads only PKCS #8, so the
 * older forms are converted to PKCS #8.
 */
public final class PrivateKeyReader {
  private static final String RSA_OID = "2a864886f70d010101"; // 1.2.840.113549.1.1.1
  private static final String EC_OID = "2a8648ce3d0201"; // 1.2.840.10045.2.1
  private static final byte[] NO_CONTENT = {};
  private static final int NULL = 0x05;

  private static final List<String> ALGORITHMS = List.of("RSA", "EC", "Ed25519", "RSASSA-PSS");

  private static final String SUPPORTED = "give an RSA, EC (P-256, P-384, P-521) or Ed25519 key";

  private PrivateKeyReader() {}

  public static PrivateKey read(CredentialFile file) throws UnusableFile {
    List<PemBlock> blocks = PemBlock.all(file);
    List<PemBlock> keys =
        blocks.stream().filter(block -> block.label().endsWith("PRIVATE KEY")).toList();
    if (keys.isEmpty()) {
      throw file.unusable(PemBlock.absence(file, "private key", "pkey"));
    }
    if (keys.size() > 1) {
      throw file.unusable("has " + keys.size() + " private keys; leave the one of the certificate");
    }
    PemBlock block = keys.get(0);
    if (block.encrypted() || block.label().equals("ENCRYPTED PRIVATE KEY")) {
      throw file.unusable(
          "has an encrypted private key; give it without a passphrase: openssl pkey -in "
              + file.path()
              + " -out FILE.pem");
    }
    return file.parsed(
        "is damaged: the " + block + " is not readable", () -> key(file, block, curve(blocks)));
  }

  static PrivateKey readPkcs8(CredentialFile file, byte[] der) throws UnusableFile {
    return file.parsed("is not readable", () -> key(file, der));
  }

  private static PrivateKey key(CredentialFile file, PemBlock block, Optional<Der> curve)
      throws UnusableFile {
    return key(
        file,
        switch (block.label()) {
          case "PRIVATE KEY" -> block.der();
          case "RSA PRIVATE KEY" -> pkcs8(RSA_OID, new Der(NULL, NO_CONTENT), block);
          case "EC PRIVATE KEY" -> {
            Der named =
                ownCurve(block)
                    .or(() -> curve)
                    .orElseThrow(() -> file.unusable("has an EC key that does not name its curve"));
            yield pkcs8(EC_OID, named, block);
          }
          default -> throw file.unusable("has a " + block.label() + "; " + SUPPORTED);
        });
  }

  private static byte[] pkcs8(String algorithm, Der parameters, PemBlock block) {
    var key = new Der(Der.OCTET_STRING, block.der());
    Der named = Der.of(Der.SEQUENCE, Der.oid(algorithm), parameters);
    return Der.of(Der.SEQUENCE, Der.zero(), named, key).bytes();
  }

  /** Tries the algorithms in turn, because a KeyFactory refuses a key of another algorithm. */
  private static PrivateKey key(CredentialFile file, byte[] pkcs8) throws UnusableFile {
    for (String algorithm : ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
      } catch (GeneralSecurityException | RuntimeException refused) {
        // A KeyFactory also throws exceptions that it does not declare.
      }
    }
    throw file.unusable(
        "has a private key that is unreadable or of another algorithm or curve; " + SUPPORTED);
  }

  /** The curve that a SEC 1 key itself names (RFC 5915). */
  private static Optional<Der> ownCurve(PemBlock block) {
    for (Der part : Der.parse(block.der()).within(Der.SEQUENCE)) {
      if (part.tag() == Der.CONTEXT_0) {
        return Optional.of(Der.parse(part.content()));
      }
    }
    return Optional.empty();
  }

  /** The curve from the {@code EC PARAMETERS} block that OpenSSL writes before the key. */
  private static Optional<Der> curve(List<PemBlock> blocks) {
    return blocks.stream()
        .filter(block -> block.label().equals("EC PARAMETERS"))
        .findFirst()
        .map(block -> Der.parse(block.der()));
  }
}
