<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Process\Ports;
use Headroom\Process\Programs;
use Headroom\Tests\Support\Printed;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\Process;

/**
 * Addresses at which no HTTP server answers: the run ends with a code of its own, long before its duration.
 */
#[RequiresPhpExtension('posix')]
final class UnreachableTest extends LoadCommandTestCase
{
    private const NO_SERVER = 4;

    /** Far longer than a test may take: a run that is not ended at once is seen. */
    private const LONG = '--duration=3600';

    /** @return iterable<string, array{list<string>}> */
    public static function workloads(): iterable
    {
        yield 'users' => [[]];
        yield 'a rate' => [['--rate=100']];
        yield 'processes' => [['--processes=2', '--concurrency=4']];
    }

    /** @param list<string> $options */
    #[Test, Group('day-1')]
    #[DataProvider('workloads')]
    public function a_closed_port_ends_the_run_before_its_first_request(array $options): void
    {
        $port = Ports::free();
        $this->assertUnreachable(["127.0.0.1:{$port}"], "http://127.0.0.1:{$port}/", self::LONG, ...$options);
        $this->assertUnreachable(["127.0.0.1:{$port}"], "https://127.0.0.1:{$port}/", self::LONG, ...$options);
    }

    #[Test]
    public function each_address_of_a_name_that_refuses_is_told(): void
    {
        $port = Ports::free();
        $this->assertUnreachable(["127.0.0.1:{$port}", "[::1]:{$port}"], "http://localhost:{$port}/", self::LONG);
    }

    #[Test]
    public function a_name_without_an_address_ends_it(): void
    {
        $this->assertUnreachable(
            ['no-such-host.invalid'],
            'http://no-such-host.invalid/',
            '--allow-remote',
            self::LONG,
        );
    }

    #[Test]
    public function a_port_that_takes_no_more_connections_ends_it_within_the_timeout(): void
    {
        $full = stream_socket_server(
            'tcp://127.0.0.1:0',
            $errno,
            $reason,
            context: stream_context_create(['socket' => ['backlog' => 0]]),
        );
        self::assertNotFalse($full);
        $address = (string) stream_socket_get_name($full, false);
        $waiting = [];

        // Linux takes one more than the backlog, and answers no SYN then.
        for ($i = 0; $i < 3; $i++) {
            $waiting[] = @stream_socket_client(
                "tcp://{$address}",
                timeout: 0.5,
                flags: STREAM_CLIENT_CONNECT | STREAM_CLIENT_ASYNC_CONNECT,
            );
        }

        usleep(50_000);
        $this->assertUnreachable([$address, '0.4'], "http://{$address}/", '--timeout=0.4', self::LONG);
        self::assertCount(3, $waiting);
    }

    /** @return iterable<string, array{string, string}> what comes instead of an answer, and what of it is told */
    public static function otherProtocols(): iterable
    {
        yield 'a word of Redis' => ["-ERR unknown command 'GET'\r\n", 'ERR'];
        yield 'a greeting of SSH' => ["SSH-2.0-OpenSSH_9.2\r\n", 'SSH-2.0-OpenSSH_9.2'];
        yield 'an alert of TLS' => ["\x15\x03\x01\x00\x02\x02\x46", 'https'];
        yield 'settings of HTTP/2' => ["\x00\x00\x12\x04\x00\x00\x00\x00\x00", 'HTTP/1.1'];
        yield 'nothing' => ['', '10'];
    }

    #[Test, Group('day-2')]
    #[DataProvider('otherProtocols')]
    public function another_protocol_ends_it(string $bytes, string $told): void
    {
        $server = AnswerServer::start([RandomAnswer::of($bytes)]);

        try {
            $this->assertUnreachable(
                ["127.0.0.1:{$server->port}", $told],
                "http://127.0.0.1:{$server->port}/0",
                self::LONG,
            );
            $this->assertUnreachable(
                [$told],
                "http://127.0.0.1:{$server->port}/0",
                self::LONG,
                '--processes=2',
                '--concurrency=12',
            );
        } finally {
            $server->stop();
        }
    }

    /** @return iterable<string, array{list<string>}> */
    public static function loads(): iterable
    {
        yield 'virtual users' => [['--concurrency=12']];
        yield 'one virtual user' => [['--concurrency=1']];
        yield 'virtual users with a pause' => [['--concurrency=2', '--pause=400ms']];
        yield 'a low rate' => [['--rate=2']];
        yield 'several processes' => [['--rate=4', '--processes=2']];
    }

    /** @param list<string> $options */
    #[Test]
    #[DataProvider('loads')]
    public function a_server_that_refuses_the_first_connections_ends_it(array $options): void
    {
        // A process of its own: a listener of this one would be inherited by the generator and stay open.
        $server = new Process([Programs::php(), '-r', <<<'PHP'
            $listener = stream_socket_server('tcp://127.0.0.1:0');
            echo stream_socket_get_name($listener, false), "\n";
            // The connection before the first request is accepted, and all others are refused.
            $connection = stream_socket_accept($listener, 60.0);
            fclose($listener);
            fread($connection, 1);
            PHP]);
        $server->start();
        Printed::by($server, "\n");
        $address = trim($server->getOutput());
        $process = Headroom::process("http://{$address}/", '--duration=100', '--json', ...$options);
        $process->start();
        $started = hrtime(true);
        $process->wait();
        $server->wait();

        self::assertLessThan(50, (hrtime(true) - $started) / 1e9);
        self::assertStringContainsString("http://{$address} ", self::message($process));
    }

    #[Test]
    public function each_host_of_a_scenario_has_to_answer_before_the_first_request(): void
    {
        $port = Ports::free();
        $steps = [
            ['path' => '/ok'],
            ['path' => "http://127.0.0.1:{$port}/pay"],
            ['path' => "http://127.0.0.1:{$port}/paid"],
        ];
        $file = $this->directory->write('shop.json', json_encode(['steps' => $steps], JSON_THROW_ON_ERROR));
        $this->assertUnreachable(["127.0.0.1:{$port}"], $this->server->url(''), "--scenario={$file}", self::LONG);
        self::assertSame([], $this->server->requests());

        // An address that no step uses need not answer.
        $elsewhere = $this->directory->write(
            'elsewhere.json',
            json_encode(['steps' => [['path' => $this->server->url('/ok')]]], JSON_THROW_ON_ERROR),
        );
        self::assertSame(
            0,
            Headroom::load("http://127.0.0.1:{$port}", "--scenario={$elsewhere}", '--requests=2')->getExitCode(),
        );
    }

    #[Test]
    public function a_replay_needs_its_server_too(): void
    {
        $port = Ports::free();
        $log = $this->directory->write(
            'access.log',
            '192.0.2.1 - - [17/May/2015:10:05:03 +0000] "GET /ok HTTP/1.1" 200 5 "-" "x"'."\n",
        );

        $this->assertUnreachable(["127.0.0.1:{$port}"], "http://127.0.0.1:{$port}", "--replay={$log}");
    }

    #[Test]
    public function looking_for_the_server_is_no_request(): void
    {
        $process = Headroom::load($this->server->url('/ok'), '--requests=3', '--json');

        self::assertSame(
            [0, 3],
            [$process->getExitCode(), count($this->server->requests())],
            $process->getErrorOutput(),
        );
        self::assertSame(3, Headroom::result($process)->at('sent'));
    }

    #[Test]
    public function a_server_that_has_answered_once_may_close_or_say_what_it_wants(): void
    {
        foreach (['/second', '/garbage', '/close'] as $path) {
            $steps = [['path' => '/ok'], ['path' => $path]];
            $file = $this->directory->write('steps.json', json_encode(['steps' => $steps], JSON_THROW_ON_ERROR));
            $process = Headroom::load(
                $this->server->url(''),
                "--scenario={$file}",
                '--requests=30',
                '--concurrency=2',
                '--json',
            );

            self::assertSame(0, $process->getExitCode(), $path.$process->getErrorOutput());
            self::assertSame(30, Headroom::result($process)->at('scenario.begun'));
        }
    }

    #[Test, Group('day-2')]
    public function a_server_that_ends_in_the_middle_of_a_run_is_counted(): void
    {
        $server = HttpServer::start();
        $process = Headroom::process($server->url('/slow/20'), '--duration=3', '--concurrency=2', '--json');
        $process->start();

        for ($i = 0; $i < 1_000 && count($server->requests()) < 4 && $process->isRunning(); $i++) {
            usleep(10_000);
        }

        $server->stop();
        $process->wait();

        self::assertSame(0, $process->getExitCode(), $process->getErrorOutput());
        self::assertGreaterThan(0, Headroom::result($process)->number('succeeded'));
        self::assertGreaterThan(0, Headroom::result($process)->number('connect_errors'));
    }

    /** @param list<string> $named */
    private function assertUnreachable(array $named, string ...$arguments): void
    {
        $words = Headroom::load(...array_values($arguments));
        $json = Headroom::load(...[...array_values($arguments), '--json']);
        self::assertSame([self::NO_SERVER, ''], [$words->getExitCode(), $words->getOutput()], $words->getErrorOutput());
        $message = self::message($json);
        self::assertStringContainsString($message, $words->getErrorOutput());
        self::assertLessThanOrEqual(300, strlen($message));

        foreach ($named as $name) {
            self::assertStringContainsString($name, $message);
        }
    }

    private static function message(Process $process): string
    {
        self::assertSame(self::NO_SERVER, $process->getExitCode());
        $document = json_decode($process->getOutput(), true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($document);
        self::assertSame(['error'], array_keys($document));
        self::assertIsString($document['error']);

        return $document['error'];
    }
}
