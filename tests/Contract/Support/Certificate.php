<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support;

use OpenSSLAsymmetricKey;
use OpenSSLCertificateSigningRequest;
use PHPUnit\Framework\Assert;

/**
 * For a server on 127.0.0.1, made for one test.
 */
final readonly class Certificate
{
    /** @return string PEM of the certificate and its key */
    public static function selfSigned(): string
    {
        $config = (string) tempnam(sys_get_temp_dir(), 'headroom-openssl-');
        file_put_contents(
            $config,
            "[req]\ndistinguished_name = name\nx509_extensions = ext\n[name]\n[ext]\nsubjectAltName ="
                ." IP:127.0.0.1\nbasicConstraints = critical, CA:TRUE\n",
        );

        try {
            $options = [
                'config' => $config,
                'x509_extensions' => 'ext',
                'digest_alg' => 'sha256',
                'private_key_type' => OPENSSL_KEYTYPE_RSA,
                'private_key_bits' => 2048,
            ];
            $key = openssl_pkey_new($options);
            Assert::assertNotFalse($key);
            $request = openssl_csr_new(['commonName' => '127.0.0.1'], $key, $options);
            Assert::assertInstanceOf(OpenSSLCertificateSigningRequest::class, $request);
            Assert::assertInstanceOf(OpenSSLAsymmetricKey::class, $key);
            $certificate = openssl_csr_sign($request, null, $key, 2, $options);
            Assert::assertNotFalse($certificate);
            openssl_x509_export($certificate, $public);
            openssl_pkey_export($key, $private, null, $options);
            Assert::assertIsString($public);
            Assert::assertIsString($private);

            return $public.$private;
        } finally {
            unlink($config);
        }
    }
}
