<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance;

use Headroom\Core\SystemClock;
use Headroom\Process\ChildProcess;
use Headroom\Process\Ports;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Programs;
use Headroom\Process\Signal;
use Headroom\Process\TemporaryDirectory;
use Headroom\Sink\BatchRejected;
use Headroom\Sink\Delivery;
use Headroom\Sink\Http\HttpSink;
use Headroom\Sink\InvalidRecords;
use Headroom\Sink\RetryLater;
use Headroom\Sink\UnableToDeliver;
use Headroom\Support\ConfigReader;
use Headroom\Testing\ContractLog;
use Headroom\Tests\Acceptance\Host\Needs;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The HTTP sink on nginx, which answers before it has read the request and closes connections at any time.
 */
final class HttpSinkNginxTest extends TestCase
{
    private TemporaryDirectory $directory;

    private ChildProcess $nginx;

    private int $port;

    protected function setUp(): void
    {
        Needs::program('nginx', 'nginx');
        $this->directory = TemporaryDirectory::create('sink-nginx');
        $this->port = Ports::free();
        $directory = $this->directory->path;
        $file = $this->directory->write('nginx.conf', <<<CONF
            daemon off;
            worker_processes 1;
            pid "{$directory}/pid";
            error_log "{$directory}/error.log" warn;
            events { worker_connections 64; }
            http {
                log_format connections "\$connection \$status";
                access_log "{$directory}/access.log" connections;
                client_body_temp_path "{$directory}/body";
                proxy_temp_path "{$directory}/proxy";
                fastcgi_temp_path "{$directory}/fastcgi";
                uwsgi_temp_path "{$directory}/uwsgi";
                scgi_temp_path "{$directory}/scgi";
                keepalive_requests 2;
                server {
                    listen 127.0.0.1:{$this->port};
                    client_max_body_size 100k;
                    location / { return 204; }
                    location /closed { client_max_body_size 64m; return 401; }
                    location /busy { client_max_body_size 64m; add_header Retry-After 17 always; return 503; }
                    location /moved { client_max_body_size 64m; return 308 /; }
                }
            }
            CONF);
        $this->nginx = ChildProcess::start(new ProcessOptions(
            'nginx',
            [Programs::nginx(), '-p', $directory, '-c', $file, '-e', "{$directory}/error.log"],
            "{$directory}/out.log",
            [],
            [Signal::Terminate],
        ));
        $this->nginx->awaitReady(fn (): bool => is_file("{$directory}/pid") && Ports::accepts($this->port));
    }

    protected function tearDown(): void
    {
        if (isset($this->nginx)) {
            $this->nginx->stop();
            $this->directory->remove();
        }
    }

    #[Test]
    public function a_body_that_is_too_large_is_told_from_a_connection_that_broke(): void
    {
        self::assertInstanceOf(InvalidRecords::class, $this->failure('/', $this->large()));
        self::assertNull($this->failure('/', $this->small()));
    }

    #[Test]
    public function an_answer_that_comes_before_the_body_was_read_is_taken(): void
    {
        self::assertInstanceOf(BatchRejected::class, $this->failure('/closed', $this->large()));
        self::assertInstanceOf(BatchRejected::class, $this->failure('/moved', $this->large()));
        $busy = $this->failure('/busy', $this->large());
        self::assertInstanceOf(RetryLater::class, $busy);
        self::assertSame(17, $busy->retryAfter());
    }

    #[Test]
    public function connections_are_kept_for_as_long_as_the_server_keeps_them(): void
    {
        $sink = $this->sink('/');

        for ($n = 0; $n < 6; $n++) {
            $sink->deliver($this->small());
        }

        $this->nginx->stop();
        $connections = array_map(
            static fn (string $line): string => explode(' ', $line)[0],
            explode("\n", trim((string) file_get_contents($this->directory->file('access.log')))),
        );
        self::assertCount(6, $connections);
        self::assertSame([2, 2, 2], array_values(array_count_values($connections)));
    }

    private function failure(string $path, Delivery $delivery): ?UnableToDeliver
    {
        try {
            $this->sink($path)->deliver($delivery);
        } catch (UnableToDeliver $failure) {
            return $failure;
        }

        return null;
    }

    private function sink(string $path): HttpSink
    {
        return HttpSink::fromOptions(
            new ConfigReader(['url' => "http://127.0.0.1:{$this->port}{$path}", 'timeout' => 60], 'spool.buckets.crm'),
            new SystemClock,
        );
    }

    private function small(): Delivery
    {
        return ContractLog::of('crm')->delivery([['id' => '1']]);
    }

    private function large(): Delivery
    {
        return ContractLog::of('crm')->delivery(array_fill(0, 40, ['text' => str_repeat('x', 500_000)]));
    }
}
