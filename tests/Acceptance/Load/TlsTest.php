<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\Failure;
use Headroom\Load\Metrics\LoadResult;
use Headroom\Load\Outcome;
use Headroom\Load\Plan;
use Headroom\Load\Request;
use Headroom\Load\SameRequest;
use Headroom\Process\ChildProcess;
use Headroom\Process\Ports;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Programs;
use Headroom\Process\Signal;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Support\Redis\Certificates;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Against nginx with TLS, whose certificate is for 127.0.0.1 and by an authority of its own.
 */
#[RequiresPhpExtension('openssl')]
#[RequiresPhpExtension('posix')]
final class TlsTest extends TestCase
{
    private TemporaryDirectory $directory;

    private Certificates $certificates;

    private HttpServer $peer;

    private ChildProcess $nginx;

    private int $tls13;

    private int $tls12;

    private int $plain;

    private string|false $trusted;

    protected function setUp(): void
    {
        Needs::program('nginx', 'nginx');
        $this->trusted = getenv('SSL_CERT_FILE');
        $this->directory = TemporaryDirectory::create('load-tls');
        $this->certificates = Certificates::make();
        $this->peer = HttpServer::start('peer.php');
        [$this->tls13, $this->tls12, $this->plain] = [Ports::free(), Ports::free(), Ports::free()];
        $directory = $this->directory->path;
        $certificate = $this->certificates->ofServer($this->tls13);
        $locations = "location / { return 204; } location /t/ { proxy_pass http://127.0.0.1:{$this->peer->port}/;"
            .' proxy_request_buffering off; client_max_body_size 0; }';
        $file = $this->directory->write('nginx.conf', <<<CONF
            daemon off;
            worker_processes 1;
            pid "{$directory}/pid";
            error_log "{$directory}/error.log" warn;
            events { worker_connections 1024; }
            http {
                access_log "{$directory}/access.log";
                # Its worker may not write into a directory of root's.
                proxy_max_temp_file_size 0;
                client_body_temp_path "{$directory}/body";
                proxy_temp_path "{$directory}/proxy";
                fastcgi_temp_path "{$directory}/fastcgi";
                uwsgi_temp_path "{$directory}/uwsgi";
                scgi_temp_path "{$directory}/scgi";
                ssl_certificate "{$certificate['tls-cert-file']}";
                ssl_certificate_key "{$certificate['tls-key-file']}";
                server { listen 127.0.0.1:{$this->tls13} ssl; ssl_protocols TLSv1.3; {$locations} }
                server { listen 127.0.0.1:{$this->tls12} ssl; ssl_protocols TLSv1.2; keepalive_requests 5; {$locations} }
                server { listen 127.0.0.1:{$this->plain}; location / { return 204; } }
            }
            CONF);
        $this->nginx = ChildProcess::start(new ProcessOptions(
            'nginx',
            [Programs::nginx(), '-p', $directory, '-c', $file, '-e', "{$directory}/error.log"],
            "{$directory}/out.log",
            [],
            [Signal::Terminate],
        ));
        $this->nginx->awaitReady(fn (): bool => is_file("{$directory}/pid") && Ports::accepts($this->plain));
        $this->trust($this->certificates->authority());
    }

    protected function tearDown(): void
    {
        if (isset($this->nginx)) {
            $this->trust($this->trusted);
            $this->nginx->stop();
            $this->peer->stop();
            $this->certificates->remove();
            $this->directory->remove();
        }
    }

    /** TLS 1.3 sends records without HTTP data after the handshake. A paused connection must stay open then. */
    #[Test]
    public function connections_are_kept(): void
    {
        self::assertSame(
            [50, 50, 5, 0],
            $this->figures($this->send(
                "https://127.0.0.1:{$this->tls13}/",
                Plan::requests(50, concurrency: 5, timeout: 30.0),
            )),
        );
        self::assertSame(
            [4, 4, 1, 0],
            $this->figures($this->send(
                "https://127.0.0.1:{$this->tls13}/",
                Plan::requests(4, concurrency: 1, timeout: 30.0, pause: 0.1),
            )),
        );
        // The server wants no more than five on each.
        self::assertSame(
            [40, 40, 8, 0],
            $this->figures($this->send(
                "https://127.0.0.1:{$this->tls12}/",
                Plan::requests(40, concurrency: 1, timeout: 30.0),
            )),
        );
    }

    #[Test, Group('day-2')]
    public function large_bodies_go_whole_both_ways(): void
    {
        foreach ([$this->tls13, $this->tls12] as $i => $port) {
            $body = str_repeat('0123456789', 500_000);
            self::assertSame(
                4,
                $this->send(
                    "https://127.0.0.1:{$port}/t/slowly",
                    Plan::requests(4, concurrency: 2, timeout: 60.0),
                    $body,
                )->succeeded(),
            );
            self::assertSame(
                array_fill(0, 4, '5000000'),
                array_map(
                    static fn (SeenRequest $request): string => $request->body,
                    array_slice($this->peer->requests(), $i * 4),
                ),
            );
        }

        foreach ([$this->tls13, $this->tls12] as $port) {
            $result = $this->send(
                "https://127.0.0.1:{$port}/t/large/20",
                Plan::requests(4, concurrency: 2, timeout: 60.0),
            );
            self::assertSame([4, 4 * 20 * 1_048_576], [$result->succeeded(), $result->bytes]);
        }
    }

    #[Test, Group('day-2')]
    public function waiting_for_an_answer_is_no_busy_loop(): void
    {
        $clock = new CountingClock;
        $result = (new LoadGenerator($clock))->run(
            Plan::requests(2, concurrency: 2, timeout: 30.0),
            new SameRequest(new Request("https://127.0.0.1:{$this->tls13}/t/wait/400")),
        );

        self::assertSame(2, $result->succeeded());
        self::assertLessThan(200, $clock->looks);
    }

    #[Test]
    public function a_handshake_that_is_never_answered_times_out_while_connecting(): void
    {
        $clock = new CountingClock;
        $result = (new LoadGenerator($clock))->run(
            Plan::requests(4, concurrency: 2, timeout: 0.5),
            new SameRequest(new Request("https://127.0.0.1:{$this->peer->port}/")),
        );

        self::assertSame([4, 4], [$result->sent(), $result->count(Outcome::Timeout)]);
        self::assertSame(Failure::TimeoutConnecting, $result->failures[0]->failure);
        self::assertLessThan(200, $clock->looks);
    }

    /**
     * @return iterable<string, array{string, string, string, string}> address, server, OpenSSL's words,
     *     and a name in ours
     */
    public static function failures(): iterable
    {
        yield 'a certificate for another name' => [
            'https://localhost:%d/', 'tls13', 'did not match expected CN=`localhost\'', 'localhost',
        ];
        yield 'a certificate by an unknown authority' => [
            'https://127.0.0.1:%d/', 'others', 'certificate verify failed', 'SSL_CERT_FILE',
        ];
        yield 'a server without TLS' => ['https://127.0.0.1:%d/', 'plain', 'wrong version number', '127.0.0.1'];
    }

    #[Test, Group('day-3')]
    #[DataProvider('failures')]
    public function a_failure_names_its_cause(string $url, string $server, string $said, string $named): void
    {
        if ($server === 'others') {
            $this->trust($this->certificates->anotherAuthority());
        }

        $result = $this->send(
            sprintf($url, $server === 'plain' ? $this->plain : $this->tls13),
            Plan::requests(6, concurrency: 2, timeout: 30.0),
        );

        self::assertSame([6, 6], [$result->sent(), $result->count(Outcome::ConnectError)]);
        self::assertSame([Failure::Tls, 6], [$result->failures[0]->failure, $result->failures[0]->count]);
        self::assertStringContainsString($said, $result->failures[0]->message);
        self::assertStringContainsString($named, $result->failures[0]->message);
    }

    #[Test, Group('day-1')]
    public function http_to_a_port_for_tls_gets_the_servers_answer(): void
    {
        self::assertSame(
            [400 => 6],
            $this->send("http://127.0.0.1:{$this->tls13}/", Plan::requests(6, concurrency: 2, timeout: 30.0))->statuses,
        );
    }

    private function trust(string|false $file): void
    {
        putenv($file === false ? 'SSL_CERT_FILE' : "SSL_CERT_FILE={$file}");
    }

    /** @return array{int, int, int, int} */
    private function figures(LoadResult $result): array
    {
        return [$result->sent(), $result->succeeded(), $result->connections, $result->resent];
    }

    private function send(string $url, Plan $plan, ?string $body = null): LoadResult
    {
        return (new LoadGenerator)->run(
            $plan,
            new SameRequest(new Request($url, $body === null ? 'GET' : 'POST', $body)),
        );
    }
}
