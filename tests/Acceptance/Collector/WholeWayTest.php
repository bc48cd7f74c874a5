<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector;

use Closure;
use Headroom\Process\Ports;
use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\Buffer;
use Headroom\Tests\Acceptance\Collector\Support\CentralLogGuide;
use Headroom\Tests\Acceptance\Collector\Support\Running;
use Headroom\Tests\Support\Dug;
use Headroom\Tests\Support\OpenSearch\EventStreams;
use Headroom\Tests\Support\OpenSearch\OpenSearchServer;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * docs/uses/central-log.md, with its configurations: application, buffer, HTTP sink, collector, its buffer,
 * Elasticsearch sink, a real index. Each process on the way is killed, and answers are lost on both ways.
 */
final class WholeWayTest extends TestCase
{
    private TemporaryDirectory $application;

    private TemporaryDirectory $collector;

    private string $address;

    /** @var array<string, Process> by what they are */
    private array $processes = [];

    /** @var list<Running> the last one runs */
    private array $collectors = [];

    private string $index = '';

    /** Before the index. */
    private string $front = '';

    protected function setUp(): void
    {
        $this->application = TemporaryDirectory::create('application');
        $this->collector = TemporaryDirectory::create('collector');
        $this->address = '127.0.0.1:'.Ports::free();
    }

    protected function tearDown(): void
    {
        foreach ($this->processes as $process) {
            $process->stop(5);
        }

        $this->collectors = [];

        if ($this->index !== '') {
            EventStreams::get()->remove($this->index);
        }

        $this->application->remove();
        $this->collector->remove();
    }

    #[Test, Group('day-3')]
    public function each_acknowledged_event_is_in_the_index_once_whichever_process_is_killed(): void
    {
        $server = OpenSearchServer::get();
        $this->index = 'way-'.bin2hex(random_bytes(6));
        $this->serve($this->front('index', $server->url));
        [$exit, $output] = $this->last()->command('collect:install', 'events');
        self::assertSame(0, $exit, $output);
        $this->apply("http://{$this->front('collector', "http://{$this->address}")}/v1/events");
        $this->launch(
            'application',
            [Programs::php(), __DIR__.'/fixtures/application.php', $this->application->path, 'a'],
        );
        $this->deliver();
        $this->awaitDocuments(50);

        foreach ($this->faults() as $fault) {
            $fault();
            $this->awaitDocuments($this->documents() + 20);
        }

        $this->application->write('stop', '');
        $this->processes['application']->wait();
        $acknowledged = file($this->application->file('acknowledged'), FILE_IGNORE_NEW_LINES);
        self::assertIsArray($acknowledged);
        $this->awaitDocuments(count($acknowledged));
        $this->compare($acknowledged, $server);
    }

    #[Test, Group('day-1')]
    public function only_a_row_that_the_collector_refuses_is_a_dead_letter_of_the_application(): void
    {
        $this->collectors[] = Running::start(
            ['listen' => $this->address, 'workers' => 1, 'intake' => []],
            home: $this->collector,
        );
        $this->apply("http://{$this->address}/v1/events");
        $buffer = Buffer::onDisk(AppendConfig::fromArray(['path' => $this->application->file('spool')]));
        $buffer->bucket('orders')->addMany([['n' => 1], ['n' => 2, 'text' => str_repeat('x', 300_000)], ['n' => 3]]);

        [$exit, $output] = Running::run($this->application->path, 'spool:flush', 'orders');
        self::assertSame(0, $exit, $output);
        self::assertStringContainsString(
            'HTTP 413',
            Running::run($this->application->path, 'spool:failed', 'orders')[1],
        );
        self::assertCount(2, $this->last()->collected());
        self::assertSame(
            [1, 3],
            array_map(
                static fn (string $line): mixed => Dug::out((array) json_decode($line, true), 'data', 'n'),
                explode("\n", trim((string) file_get_contents($this->collector->file('out.ndjson')))),
            ),
        );
    }

    #[Test, Group('day-2')]
    public function a_revoked_key_stops_the_bucket_and_sets_no_row_aside(): void
    {
        $this->collectors[] = Running::start(
            ['listen' => $this->address, 'workers' => 1, 'intake' => []],
            home: $this->collector,
        );
        $this->apply("http://{$this->address}/v1/events", 'hrk_nobody');
        Buffer::onDisk(AppendConfig::fromArray(['path' => $this->application->file('spool')]))
            ->bucket('orders')
            ->add(['n' => 1]);

        self::assertStringContainsString(
            'HTTP 401',
            Running::run($this->application->path, 'spool:flush', 'orders')[1],
        );
        $this->apply("http://{$this->address}/v1/events");
        // A new key is seen within a second.
        self::await(
            fn (): bool => Running::run($this->application->path, 'spool:flush', '--now', 'orders')[0] === 0,
            'The row does not go on.',
        );
        self::assertCount(1, $this->last()->collected());
    }

    /** @return list<Closure(): void> */
    private function faults(): array
    {
        return [
            fn () => $this->during('index', '429', 2),
            fn () => $this->during('index', '503', 2),
            // The index stores the batch and does not acknowledge it, so all of it comes again.
            fn () => $this->during('index', 'lost', 2),
            fn () => $this->during('collector', 'lost', 2),
            $this->killDelivery(...),
            function (): void {
                foreach ($this->last()->pids() as $pid) {
                    posix_kill($pid, SIGKILL);
                }
            },
            function (): void {
                foreach ($this->last()->pids('flusher') as $pid) {
                    posix_kill($pid, SIGKILL);
                }
            },
            function (): void {
                posix_kill($this->last()->pid, SIGKILL);
                $this->serve();
            },
            function (): void {
                posix_kill($this->last()->pid, SIGTERM);
                self::assertSame(0, $this->last()->exitCode(), $this->last()->log());
                $this->serve();
            },
            function (): void {
                $this->processes['application']->stop(0, SIGKILL);
                $this->launch(
                    'application',
                    [Programs::php(), __DIR__.'/fixtures/application.php', $this->application->path, 'b'],
                );
            },
        ];
    }

    /** @param list<string> $acknowledged */
    private function compare(array $acknowledged, OpenSearchServer $server): void
    {
        $times = [];

        foreach ($server->documents($this->index) as $document) {
            $source = $document['_source'];
            $isLog = $source['type'] === 'log';
            $order = $isLog ? Dug::out($source, 'data', 'context', 'order') : Dug::out($source, 'data', 'order');
            self::assertIsString($order);
            self::assertIsString($source['id']);
            $times[$order] = ($times[$order] ?? 0) + 1;

            if ($isLog) {
                self::assertSame(
                    ['shop/web-1', 'Order '.substr($order, 4).' has come in', 'INFO', 'shop'],
                    [
                        $source['source'],
                        Dug::out($source, 'data', 'message'),
                        Dug::out($source, 'data', 'level_name'),
                        $source['key'],
                    ],
                );
                self::assertMatchesRegularExpression(
                    '/\A[0-9a-f]{8}-[0-9a-f]{4}-7/',
                    $source['id'],
                    'the id that the log channel gave it',
                );
            } else {
                self::assertSame(
                    ['orders', 'shop', 12.0],
                    [$source['type'], $source['source'], Dug::out($source, 'data', 'total')],
                );
                self::assertMatchesRegularExpression(
                    '~/orders/\d{20}-\d{20}-\d{5}/\d+\z~',
                    $source['id'],
                    'its place in the log of the application',
                );
            }
        }

        self::assertGreaterThan(300, count($acknowledged));
        self::assertSame([], array_diff($acknowledged, array_map(strval(...), array_keys($times))), 'lost');
        self::assertSame([], array_filter($times, static fn (int $count): bool => $count > 1), 'there twice');
        // One that was killed may have had an event taken, and no time to say so.
        self::assertLessThanOrEqual(count($acknowledged) + 1, count($times));
        self::assertSame('', trim((string) @file_get_contents($this->application->file('spool/dead'))));
    }

    /** Starts the collector of the page, or its successor at the same address. */
    private function serve(string $index = ''): void
    {
        $this->front = $index === '' ? $this->front : $index;
        $config = CentralLogGuide::config($this->collector, 'headroom.php', [
            "'/var/lib/headroom'" => var_export($this->collector->file('spool'), true),
            "getenv('OPENSEARCH_URL')" => "'http://{$this->front}'",
            "'index' => 'events'" => "'index' => '{$this->index}'",
            "'127.0.0.1:8080'" => "'{$this->address}'",
            "'127.0.0.1:9180'" => "'127.0.0.1:0'",
        ]);
        // The files of the last collector stay in place. The disk of this machine may be fuller than a reserve allows.
        $this->collectors[] = Running::start(
            $config['collector'] + ['workers' => 2, 'flushers' => 1],
            $config['spool'] + ['min_free_bytes' => 0],
            home: $this->collector,
        );
    }

    private function last(): Running
    {
        return $this->collectors[count($this->collectors) - 1];
    }

    /** Writes the application's configuration, with a key of the collector. */
    private function apply(string $url, ?string $key = null): void
    {
        if ($key === null) {
            [$exit, $output] = $this->last()->command('collect:key', 'create', 'shop', '--json');
            $made = json_decode($output, true);
            self::assertSame(0, $exit, $output);
            self::assertIsArray($made);
            self::assertIsString($made['key']);
            $key = $made['key'];
        }

        $buckets = strtr(
            CentralLogGuide::block("// config/spool.php, in 'buckets'"),
            ["env('COLLECTOR_URL')" => "'{$url}'", "env('COLLECTOR_KEY')" => "'{$key}'"],
        );
        $this->application->write(
            'headroom.php',
            "<?php return ['spool' => ['path' => '{$this->application->file('spool')}', 'min_free_bytes' => 0,"
                ." 'buckets' => [{$buckets}]]];",
        );
    }

    private function deliver(): void
    {
        $this->launch(
            'delivery',
            [Programs::php(), Running::program(), 'spool:work', '--sleep=0.2'],
            $this->application->path,
        );
    }

    /** All of them: the one that supervises, and those it has started. */
    private function killDelivery(): void
    {
        $pid = $this->processes['delivery']->getPid();
        $children = explode(' ', trim((string) @file_get_contents("/proc/{$pid}/task/{$pid}/children")));
        self::assertCount(2, array_filter($children, is_numeric(...)), 'A process for each bucket.');

        foreach ($children as $one) {
            posix_kill((int) $one, SIGKILL);
        }

        $this->processes['delivery']->stop(0, SIGKILL);
        $this->deliver();
    }

    /** @return string its address */
    private function front(string $name, string $to): string
    {
        $address = '127.0.0.1:'.Ports::free();
        $this->launch(
            "front of {$name}",
            [Programs::php(), '-d', 'memory_limit=512M', '-S', $address, __DIR__.'/fixtures/front.php'],
            env: ['FRONT_TO' => $to, 'FRONT_MODE' => $this->collector->file("front-{$name}")],
        );
        self::await(
            static fn (): bool => is_resource(@stream_socket_client("tcp://{$address}")),
            "The front of {$name} does not start.",
        );

        return $address;
    }

    /** Until so many requests have met it. */
    private function during(string $front, string $mode, int $requests): void
    {
        $file = $this->collector->file("front-{$front}");
        file_put_contents($file, $mode);
        self::await(
            static fn (): bool => substr_count((string) @file_get_contents("{$file}.log"), "{$mode}\n") >= $requests,
            "Nobody has asked the {$front} while it answers with {$mode}.",
        );
        file_put_contents($file, '');
    }

    private function documents(): int
    {
        $server = OpenSearchServer::get();
        $server->ask('POST', "/{$this->index}/_refresh");
        $count = $server->ask('GET', "/{$this->index}/_count")['count'] ?? 0;

        return is_int($count) ? $count : 0;
    }

    private function awaitDocuments(int $wanted): void
    {
        $wanted = $this->processes['application']->isRunning()
            ? $wanted
            : min($wanted, substr_count((string) file_get_contents($this->application->file('acknowledged')), "\n"));
        self::await(
            fn (): bool => $this->documents() >= $wanted,
            "{$wanted} documents do not get to the index.",
            fn (): string => $this->documents()." are there.\n{$this->last()->log()}\n"
                .file_get_contents($this->application->file('delivery.log')),
        );
    }

    /**
     * @param Closure(): bool $what
     * @param ?Closure(): string $words
     */
    private static function await(Closure $what, string $otherwise, ?Closure $words = null): void
    {
        for ($left = 600; ! $what(); $left--) {
            if ($left === 0) {
                self::fail($otherwise.' '.($words === null ? '' : $words()));
            }

            usleep(100_000);
        }
    }

    /**
     * @param list<string> $command
     * @param array<string, string> $env
     */
    private function launch(string $name, array $command, ?string $directory = null, array $env = []): void
    {
        // No process reads pipes here, and a writer to a full one stands still.
        $process = new Process(
            [
                '/bin/sh',
                '-c',
                'log=$1; shift; exec "$@" >>"$log" 2>&1',
                'sh',
                $this->application->file("{$name}.log"),
                ...$command,
            ],
            $directory,
            $env + ($directory === null ? [] : ['PWD' => $directory]),
            timeout: null,
        );
        $process->start();
        $this->processes[$name] = $process;
    }
}
