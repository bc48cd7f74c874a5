<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\Redis;

use Headroom\Process\TemporaryDirectory;
use OpenSSLAsymmetricKey;
use OpenSSLCertificate;
use OpenSSLCertificateSigningRequest;
use RuntimeException;

/**
 * An authority of a test's own, a certificate by it for 127.0.0.1, and an authority that has signed nothing.
 */
final readonly class Certificates
{
    private const CONFIG = <<<'TEXT'
        [req]
        distinguished_name = name
        [name]
        [authority]
        basicConstraints = critical, CA:true
        [server]
        subjectAltName = IP:127.0.0.1
        TEXT;

    private function __construct(private TemporaryDirectory $directory) {}

    public static function make(): self
    {
        $made = new self(TemporaryDirectory::create('tls'));
        $made->directory->write('openssl.cnf', self::CONFIG);
        $authority = self::key();
        $root = $made->signed('Tests', $authority, null, $authority, 'authority', 'authority.pem');
        $made->signed('Others', $other = self::key(), null, $other, 'authority', 'others.pem');
        $made->signed('127.0.0.1', $key = self::key(), $root, $authority, 'server', 'server.pem');
        openssl_pkey_export_to_file(
            $key,
            $made->directory->file('server.key'),
            null,
            ['config' => $made->directory->file('openssl.cnf')],
        );

        return $made;
    }

    /** @return array<string, string|int> as in redis.conf; those who connect need no certificate */
    public function ofServer(int $port): array
    {
        return [
            'tls-port' => $port,
            'tls-cert-file' => $this->directory->file('server.pem'),
            'tls-key-file' => $this->directory->file('server.key'),
            'tls-ca-cert-file' => $this->directory->file('authority.pem'),
            'tls-auth-clients' => 'no',
        ];
    }

    /** Which those are to trust who connect. */
    public function authority(): string
    {
        return $this->directory->file('authority.pem');
    }

    public function anotherAuthority(): string
    {
        return $this->directory->file('others.pem');
    }

    public function remove(): void
    {
        $this->directory->remove();
    }

    private function signed(
        string $name,
        OpenSSLAsymmetricKey $key,
        ?OpenSSLCertificate $by,
        OpenSSLAsymmetricKey $byKey,
        string $section,
        string $file,
    ): OpenSSLCertificate {
        $config = [
            'config' => $this->directory->file('openssl.cnf'),
            'digest_alg' => 'sha256',
            'x509_extensions' => $section,
        ];
        $request = openssl_csr_new(['commonName' => $name], $key, $config);
        $certificate = $request instanceof OpenSSLCertificateSigningRequest
            ? openssl_csr_sign($request, $by, $byKey, 2, $config, random_int(1, PHP_INT_MAX))
            : false;

        if ($certificate === false) {
            throw new RuntimeException('No certificate: '.openssl_error_string());
        }

        openssl_x509_export_to_file($certificate, $this->directory->file($file));

        return $certificate;
    }

    private static function key(): OpenSSLAsymmetricKey
    {
        $key = openssl_pkey_new(['private_key_bits' => 2048, 'private_key_type' => OPENSSL_KEYTYPE_RSA]);

        return $key === false ? throw new RuntimeException('No key: '.openssl_error_string()) : $key;
    }
}
