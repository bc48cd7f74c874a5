<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Process\ChildProcess;
use Headroom\Process\Ports;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Programs;
use Headroom\Process\Signal;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Host\Needs;
use OpenSSLAsymmetricKey;
use OpenSSLCertificateSigningRequest;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Handshakes that fail for as many reasons, with nginx and with OpenSSL's own server.
 */
#[RequiresPhpExtension('openssl')]
#[RequiresPhpExtension('posix')]
final class HandshakeTest extends TestCase
{
    private const CONFIG = "[req]\ndistinguished_name = name\n[name]\n[server]\nsubjectAltName = DNS:%s, DNS:www.%s\n";

    private TemporaryDirectory $directory;

    private ChildProcess $server;

    private OpenSSLAsymmetricKey $key;

    private int $port;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('handshake');
        $key = openssl_pkey_new(['private_key_bits' => 2048]);
        self::assertNotFalse($key);
        $this->key = $key;
        openssl_pkey_export_to_file($key, $this->directory->file('key.pem'));
        $this->port = Ports::free();
    }

    protected function tearDown(): void
    {
        if (isset($this->server)) {
            $this->server->stop();
        }

        $this->directory->remove();
    }

    /**
     * @return iterable<string, array{string, int, string, string, list<string>}> name of the certificate, its days,
     *     lines of nginx, host, what is told
     */
    public static function refusals(): iterable
    {
        yield 'self-signed' => [
            'localhost', 5, '', 'localhost', ['sent: localhost', 'self-signed', '--insecure', 'SSL_CERT_FILE'],
        ];
        yield 'of a name that no resolver knows' => [
            'shop.test', 5, '', 'a.localhost', ['sent: a.localhost', 'shop.test', 'self-signed'],
        ];
        yield 'expired' => ['localhost', 0, '', 'localhost', ['sent: localhost', 'expired', '--insecure']];
        yield 'to an address' => ['shop.test', 5, '', '127.0.0.1', ['no server name', 'shop.test', '--insecure']];
        yield 'a name that is refused' => [
            'localhost', 5, 'ssl_reject_handshake on;', 'a.localhost', ['sent: a.localhost', 'alert 112'],
        ];
        yield 'no version in common' => [
            'localhost', 5, 'ssl_protocols TLSv1.1;', 'localhost', ['sent: localhost', 'alert'],
        ];
    }

    /** @param list<string> $told */
    #[Test, Group('day-1')]
    #[DataProvider('refusals')]
    public function a_refusal_names_what_was_sent_and_what_came_back(
        string $name,
        int $days,
        string $lines,
        string $host,
        array $told,
    ): void {
        $this->nginx($name, $days, $lines);
        $this->assertTold($told, "https://{$host}:{$this->port}/");
    }

    #[Test]
    public function plain_requests_to_a_port_of_tls_lead_to_https(): void
    {
        $this->nginx('shop.test', 5, '');
        $process = Headroom::load("http://127.0.0.1:{$this->port}/", '--requests=3');

        self::assertSame(1, $process->getExitCode());
        self::assertStringContainsString('https://', $process->getErrorOutput());

        $server = AnswerServer::start([RandomAnswer::of("HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n")]);

        try {
            self::assertStringNotContainsString(
                'https://',
                Headroom::load("http://127.0.0.1:{$server->port}/0", '--requests=3')->getErrorOutput(),
            );
        } finally {
            $server->stop();
        }
    }

    #[Test]
    public function a_trusted_certificate_for_another_name_names_both(): void
    {
        $this->nginx('shop.test', 5, '');
        $this->assertTold(
            ['sent: localhost', 'shop.test', 'www.shop.test', '--insecure'],
            "https://localhost:{$this->port}/",
            ['SSL_CERT_FILE' => $this->directory->file('certificate.pem')],
        );
        self::assertSame(0, Headroom::load("https://localhost:{$this->port}/", '-n', '2', '--insecure')->getExitCode());
    }

    #[Test, Group('day-2')]
    public function a_server_that_wants_a_certificate_of_the_client_says_so(): void
    {
        Needs::program('openssl', 'openssl');
        $this->certify('localhost', 5);
        $command = [
            (string) Programs::optional('openssl'),
            's_server',
            '-quiet',
            '-www',
            '-accept',
            "127.0.0.1:{$this->port}",
            '-cert',
            $this->directory->file('certificate.pem'),
            '-key',
            $this->directory->file('key.pem'),
            '-Verify',
            '1',
        ];
        $this->server = ChildProcess::start(
            new ProcessOptions('s_server', $command, $this->directory->file('s_server.log'), [], [Signal::Terminate]),
        );
        $this->server->awaitReady(fn (): bool => Ports::accepts($this->port));

        $this->assertTold(
            ['sent: localhost', 'alert 116'],
            "https://localhost:{$this->port}/",
            ['SSL_CERT_FILE' => $this->directory->file('certificate.pem')],
        );
    }

    /**
     * @param list<string> $told
     * @param array<string, string> $env
     */
    private function assertTold(array $told, string $url, array $env = []): void
    {
        $process = Headroom::process($url, '--duration=3600', '--json')->setEnv($env);
        $process->run();
        $document = json_decode($process->getOutput(), true);
        self::assertIsArray($document, $process->getOutput().$process->getErrorOutput());
        self::assertSame([4, ['error']], [$process->getExitCode(), array_keys($document)]);
        self::assertIsString($document['error']);
        self::assertLessThanOrEqual(300, strlen($document['error']));

        foreach ($told as $name) {
            self::assertStringContainsString($name, $document['error']);
        }
    }

    private function nginx(string $name, int $days, string $lines): void
    {
        Needs::program('nginx', 'nginx');
        $this->certify($name, $days);
        $path = $this->directory->path;
        $folders = implode(
            ' ',
            array_map(
                static fn (string $of): string => "{$of}_temp_path \"{$path}/{$of}\";",
                ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'],
            ),
        );
        $file = $this->directory->write('nginx.conf', <<<CONF
            daemon off;
            worker_processes 1;
            pid "{$path}/pid";
            error_log "{$path}/error.log";
            events {}
            http {
                access_log off;
                {$folders}
                ssl_certificate "{$path}/certificate.pem";
                ssl_certificate_key "{$path}/key.pem";
                server { listen 127.0.0.1:{$this->port} ssl; {$lines} location / { return 204; } }
            }
            CONF);
        $this->server = ChildProcess::start(new ProcessOptions(
            'nginx',
            [Programs::nginx(), '-p', $path, '-c', $file, '-e', "{$path}/error.log"],
            "{$path}/out.log",
            [],
            [Signal::Terminate],
        ));
        $this->server->awaitReady(fn (): bool => is_file("{$path}/pid") && Ports::accepts($this->port));
    }

    private function certify(string $name, int $days): void
    {
        $options = [
            'config' => $this->directory->write('openssl.cnf', sprintf(self::CONFIG, $name, $name)),
            'x509_extensions' => 'server',
            'digest_alg' => 'sha256',
        ];
        $key = $this->key;
        $request = openssl_csr_new(['commonName' => $name], $key, $options);
        self::assertNotFalse($request);
        self::assertInstanceOf(OpenSSLCertificateSigningRequest::class, $request);
        $certificate = openssl_csr_sign($request, null, $this->key, $days, $options);
        self::assertNotFalse($certificate);
        // One of no days ends in the second in which it begins.
        $end = $days === 0 ? time() + 2 : 0;
        openssl_x509_export_to_file($certificate, $this->directory->file('certificate.pem'));

        while (time() < $end) {
            usleep(100_000);
        }
    }
}
