<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use ErrorException;
use Headroom\Core\SystemClock;
use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\Failure;
use Headroom\Load\Outcome;
use Headroom\Load\Plan;
use Headroom\Load\Request;
use Headroom\Load\SameRequest;
use Headroom\Load\Transport\Client;
use Headroom\Load\Transport\EncodedRequest;
use Headroom\Load\Transport\Exchange;
use Headroom\Process\Ports;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * How the client finds the address of a server, and its message if there is no address.
 */
#[RequiresPhpExtension('posix')]
final class NamesTest extends TestCase
{
    /** @var list<HttpServer> */
    private array $servers = [];

    /** @var list<resource> */
    private array $sockets = [];

    protected function tearDown(): void
    {
        array_map(static fn (HttpServer $server) => $server->stop(), $this->servers);
        array_map(fclose(...), $this->sockets);
    }

    /** @return iterable<string, array{string, string}> */
    public static function hosts(): iterable
    {
        yield 'an address of IPv4' => ['127.0.0.1', '127.0.0.1'];
        yield 'an address of IPv6' => ['[::1]', '[::1]'];
        yield 'localhost, which is there by IPv4' => ['localhost', '127.0.0.1'];
        yield 'localhost, which is there by IPv6' => ['localhost', '[::1]'];
        yield 'a name below localhost' => ['shop.localhost', '[::1]'];
    }

    #[Test, Group('day-3')]
    #[DataProvider('hosts')]
    public function a_server_is_found_where_it_listens(string $host, string $address): void
    {
        $server = $this->server($address);
        $result = (new LoadGenerator)->run(
            Plan::requests(50, concurrency: 10),
            new SameRequest(new Request("http://{$host}:{$server->port}/ok")),
        );

        self::assertSame([50, 50, 10], [$result->sent(), $result->succeeded(), $result->connections]);
        self::assertCount(50, $server->requests());
        self::assertContains("Host: {$host}:{$server->port}", $server->requests()[0]->headers);
    }

    /** The second begins before anybody knows which address answers, and hears that its first does not after that. */
    #[Test]
    public function one_that_began_at_the_wrong_address_goes_on_to_the_right_one(): void
    {
        $server = $this->server('[::1]');
        $client = new Client(new SystemClock, 10.0, false, 2);
        $exchanges = [];

        for ($i = 0; $i < 2; $i++) {
            $exchanges[] = $exchange = new Exchange;
            $exchange->prepare(EncodedRequest::of(new Request("http://localhost:{$server->port}/slow/100")), null);
            $client->begin($exchange);
            $client->work(1_000_000);
        }

        while ($client->inFlight() > 0) {
            $client->work(1_000_000);
        }

        self::assertSame(
            [[200, ''], [200, '']],
            array_map(static fn (Exchange $exchange): array => [$exchange->status, $exchange->message], $exchanges),
        );
    }

    #[Test]
    public function an_address_that_never_answers_is_tried_after_the_others_from_then_on(): void
    {
        $server = $this->server('[::1]');
        $this->fill("127.0.0.1:{$server->port}");
        $result = (new LoadGenerator)->run(
            Plan::requests(20, concurrency: 4, timeout: 2.0),
            new SameRequest(new Request("http://localhost:{$server->port}/ok")),
        );

        self::assertSame([20, 4, 16], [$result->sent(), $result->count(Outcome::Timeout), $result->succeeded()]);
        self::assertSame(Failure::TimeoutConnecting, $result->failures[0]->failure);
    }

    #[Test]
    public function a_server_whose_queue_is_full_times_out_while_connecting(): void
    {
        $port = Ports::free();
        $this->fill("127.0.0.1:{$port}");
        $clock = new CountingClock;
        $result = (new LoadGenerator($clock))->run(
            Plan::requests(6, concurrency: 3, timeout: 0.5),
            new SameRequest(new Request("http://127.0.0.1:{$port}/")),
        );

        self::assertSame([6, 6, 0], [$result->sent(), $result->count(Outcome::Timeout), $result->connections]);
        self::assertSame([Failure::TimeoutConnecting, 6], [$result->failures[0]->failure, $result->failures[0]->count]);
        self::assertLessThan(200, $clock->looks);
    }

    #[Test]
    public function a_name_that_is_not_known_fails_each_request_and_is_asked_for_once(): void
    {
        $result = (new LoadGenerator)->run(
            Plan::requests(1_000, concurrency: 10),
            new SameRequest(new Request('http://nobody.invalid/')),
        );

        self::assertSame(
            [1_000, 1_000, 0],
            [$result->sent(), $result->count(Outcome::ConnectError), $result->connections],
        );
        self::assertSame([Failure::NotResolved, 1_000], [$result->failures[0]->failure, $result->failures[0]->count]);
        self::assertStringContainsString('nobody.invalid', $result->failures[0]->message);
        self::assertLessThan(30.0, $result->seconds);
    }

    #[Test]
    public function a_socket_that_the_system_does_not_give_is_told(): void
    {
        $client = new Client(new SystemClock, 10.0, false, 1);
        $exchange = new Exchange;
        $message = EncodedRequest::of(new Request('http://127.0.0.1:'.Ports::free().'/'));
        $limits = posix_getrlimit();
        self::assertIsArray($limits);
        [$soft, $hard] = array_map(
            static fn (mixed $limit): int => is_int($limit) ? $limit : -1,
            [$limits['soft openfiles'], $limits['hard openfiles']],
        );

        // That of the test runner loads classes.
        set_error_handler(static fn (): bool => true);

        try {
            // The first lookup loads libraries, which opens files too.
            foreach ([$soft, 200] as $limit) {
                posix_setrlimit(POSIX_RLIMIT_NOFILE, $limit, $hard);

                while ($limit === 200 && ($file = fopen('/dev/null', 'r')) !== false) {
                    $this->sockets[] = $file;
                }

                $exchange->prepare($message, null);
                $client->begin($exchange);

                while ($client->inFlight() > 0) {
                    $client->work(1_000_000);
                }
            }
        } finally {
            restore_error_handler();
            posix_setrlimit(POSIX_RLIMIT_NOFILE, $soft, $hard);
        }

        self::assertSame(Failure::NotConnected, $exchange->failure);
        self::assertStringContainsString('ulimit -n', $exchange->message);
    }

    /** @return iterable<string, array{bool}> */
    public static function handlers(): iterable
    {
        yield 'that passes over what is silenced, as Laravel\'s does' => [true];
        yield 'that does not' => [false];
    }

    #[Test]
    #[DataProvider('handlers')]
    public function an_error_handler_of_the_application_changes_nothing(bool $heedsSilence): void
    {
        $peer = $this->servers[] = HttpServer::start('peer.php');
        $refused = 'http://127.0.0.1:'.Ports::free().'/';
        $plan = Plan::requests(4, concurrency: 2, timeout: 30.0);
        $seen = [];
        set_error_handler(static function (
            int $level,
            string $message,
            string $file,
            int $line,
        ) use ($heedsSilence): bool {
            return $heedsSilence && (error_reporting() & $level) === 0
                ? true
                : throw new ErrorException($message, 0, $level, $file, $line);
        });

        try {
            foreach ([$refused, 'http://nobody.invalid/', $peer->url('/broken'), $peer->url('/idle/1')] as $url) {
                $result = (new LoadGenerator)->run(
                    $plan,
                    new SameRequest(new Request($url, 'POST', str_repeat('x', 8_000_000))),
                );
                $seen[] = [$result->succeeded(), $result->failures[0]->failure ?? null];
            }
        } finally {
            restore_error_handler();
        }

        self::assertSame([[0, Failure::Refused], [0, Failure::NotResolved], [0, Failure::Reset], [4, null]], $seen);
    }

    #[Test]
    #[RequiresPhpExtension('pcntl')]
    public function signals_while_it_waits_change_nothing(): void
    {
        $server = $this->server('127.0.0.1');
        $signals = 0;
        pcntl_async_signals(true);
        pcntl_signal(SIGALRM, static function () use (&$signals): void {
            $signals++;
            pcntl_alarm(1);
        }, false);
        pcntl_alarm(1);
        set_error_handler(static fn (int $level, string $message): bool => throw new ErrorException($message));

        try {
            $result = (new LoadGenerator)->run(
                Plan::requests(4, concurrency: 2),
                new SameRequest(new Request("http://127.0.0.1:{$server->port}/slow/1200")),
            );
        } finally {
            restore_error_handler();
            pcntl_alarm(0);
            pcntl_signal(SIGALRM, SIG_DFL);
        }

        self::assertSame([4, 4], [$result->sent(), $result->succeeded()]);
        self::assertGreaterThan(0, $signals);
    }

    private function server(string $address): HttpServer
    {
        if ($address === '[::1]' && @stream_socket_server('tcp://[::1]:0') === false) {
            self::markTestSkipped('This machine has no IPv6.');
        }

        return $this->servers[] = HttpServer::start(address: $address);
    }

    /** Listens there and takes nobody: the kernel lets those who come later wait. */
    private function fill(string $address): void
    {
        $server = stream_socket_server(
            "tcp://{$address}",
            $errno,
            $reason,
            STREAM_SERVER_BIND | STREAM_SERVER_LISTEN,
            stream_context_create(['socket' => ['backlog' => 0]]),
        );
        self::assertNotFalse($server, (string) $reason);
        $this->sockets[] = $server;

        for ($i = 0; $i < 4; $i++) {
            $socket = stream_socket_client(
                "tcp://{$address}",
                $errno,
                $reason,
                null,
                STREAM_CLIENT_CONNECT | STREAM_CLIENT_ASYNC_CONNECT,
            );
            self::assertNotFalse($socket, (string) $reason);
            $this->sockets[] = $socket;
        }
    }
}
