<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\SystemClock;
use Headroom\Process\ChildProcess;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Sink\ClickHouse\ClickHouseSink;
use Headroom\Sink\Elasticsearch\ElasticsearchSink;
use Headroom\Sink\Http\HttpSink;
use Headroom\Sink\Sink;
use Headroom\Sink\SinkFactory;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\Buffer;
use Headroom\Spool\Delivery\Flusher;
use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\Delivery\FlushReport;
use Headroom\Spool\Delivery\SinkRegistry;
use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Support\ConfigReader;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use PHPUnit\Framework\TestCase;

/**
 * Servers of whose answers one event is the cause, or none: docs/adr/0025.
 */
final class PoisonOverHttpTest extends TestCase
{
    private TemporaryDirectory $directory;

    private ChildProcess $server;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('poison');
        mkdir($this->directory->file('buffer'));
        $command = [Programs::php(), __DIR__.'/fixtures/judging-server.php', $this->directory->path];
        $this->server = ChildProcess::start(new ProcessOptions(
            'judging server',
            $command,
            $this->directory->file('log'),
        ));
        $this->server->awaitReady(fn (): bool => is_file($this->directory->file('port')));
    }

    protected function tearDown(): void
    {
        $this->server->stop();
        $this->directory->remove();
    }

    /** @param array<string, mixed> $rule how the server answers an event that it cannot take */
    #[Test]
    #[TestDox('event that makes an HTTP server fail')]
    #[DataProvider('answersToOne')]
    public function one_event_that_the_server_never_takes_dies_and_its_neighbours_arrive(
        string $sink,
        array $rule,
        int $flushes,
    ): void {
        $this->judge($rule);
        $this->append($sink, ['a', 'b', 'c', 'bad', 'd', 'e', 'f']);

        for ($flush = 1; $flush < $flushes; $flush++) {
            self::assertNotNull($this->flush($sink)->failure, "Flush {$flush}");
        }

        $report = $this->flush($sink);
        self::assertNull($report->failure, $report->failure?->getMessage() ?? '');
        self::assertSame(1, $report->dead);
        self::assertDoesNotMatchRegularExpression(
            '/\b(?:go there again|stay in the buffer|next flush)\b/',
            (string) $report->firstDeath,
            'A dead letter does not come again by itself.',
        );
        $this->append($sink, ['behind']);
        self::assertSame([1, 0], [$this->flush($sink)->delivered, $this->flush($sink)->dead]);
        self::assertSame(['a', 'b', 'behind', 'c', 'd', 'e', 'f'], $this->taken());
    }

    /** @return iterable<string, array{string, array<string, mixed>, int}> */
    public static function answersToOne(): iterable
    {
        yield 'a document that is always answered with 500' => ['elasticsearch', ['item' => 500], 5];
        yield 'a document with an unknown status' => ['elasticsearch', ['item' => 418], 1];
        yield 'a document that a firewall takes offence at' => ['elasticsearch', ['status' => 403], 5];
        yield 'a document that breaks its request' => ['elasticsearch', ['status' => 400], 1];
        yield 'an event that a server refuses' => ['http', ['status' => 422], 1];
        yield 'an event that breaks its server' => ['http', ['status' => 500], 5];
        yield 'an event that a firewall takes offence at' => ['http', ['status' => 403], 5];
        yield 'a row that ClickHouse cannot read' => ['clickhouse', ['code' => 27], 1];
        yield 'a row with an unknown exception' => ['clickhouse', ['code' => 987], 5];
        yield 'a row that seems to lack a right' => ['clickhouse', ['code' => 497], 5];
    }

    /** @param array<string, mixed> $rule what the server does with each request */
    #[Test]
    #[TestDox('event that makes an HTTP server fail')]
    #[DataProvider('answersToAll')]
    public function a_server_that_takes_nothing_keeps_every_event(string $sink, array $rule): void
    {
        $ids = array_map(static fn (int $number): string => "event {$number}", range(1, 26));
        $this->judge($rule + ['for' => 'all']);
        $this->append($sink, $ids);

        foreach (range(1, 6) as $flush) {
            $report = $this->flush($sink);
            self::assertNotNull($report->failure, "Flush {$flush}");
            self::assertSame([0, 0], [$report->delivered, $report->dead]);
        }

        $this->judge(['for' => 'bad']);
        self::assertNull($this->flush($sink)->failure);
        sort($ids);
        self::assertSame($ids, $this->taken());
    }

    /** @return iterable<string, array{string, array<string, mixed>}> */
    public static function answersToAll(): iterable
    {
        yield 'Elasticsearch, 400' => ['elasticsearch', ['status' => 400]];
        yield 'Elasticsearch, 500' => ['elasticsearch', ['status' => 500]];
        yield 'HTTP, 422' => ['http', ['status' => 422]];
        yield 'HTTP, 404' => ['http', ['status' => 404]];
        yield 'ClickHouse, cannot parse' => ['clickhouse', ['code' => 27]];
        yield 'ClickHouse, unknown' => ['clickhouse', ['code' => 987]];
    }

    #[Test]
    public function a_flood_that_is_refused_stops_no_bucket(): void
    {
        $this->judge(['status' => 422]);
        $this->append('http', ['before']);
        self::assertNull($this->flush('http')->failure);
        $this->append('http', array_map(static fn (int $number): string => "bad {$number}", range(1, 120)));
        $report = $this->flush('http');

        self::assertNull($report->failure, $report->failure?->getMessage() ?? '');
        self::assertSame(120, $report->dead);
        self::assertSame(['before'], $this->taken());
    }

    /** @param array<string, mixed> $rule */
    private function judge(array $rule): void
    {
        file_put_contents($this->directory->file('rule.new'), json_encode($rule));
        rename($this->directory->file('rule.new'), $this->directory->file('rule'));
    }

    /** @param list<string> $ids */
    private function append(string $sink, array $ids): void
    {
        $bucket = Buffer::onDisk($this->settings($sink), new SystemClock)->bucket('calls');

        foreach ($ids as $id) {
            $bucket->add(['id' => $id]);
        }
    }

    private function flush(string $sink): FlushReport
    {
        $settings = $this->settings($sink);
        $sinks = new SinkRegistry(new class implements SinkFactory
        {
            public function make(string $kind, ConfigReader $options): Sink
            {
                return match ($kind) {
                    'elasticsearch' => ElasticsearchSink::fromOptions($options, new SystemClock),
                    'clickhouse' => ClickHouseSink::fromOptions($options, new SystemClock),
                    default => HttpSink::fromOptions($options, new SystemClock),
                };
            }
        });
        $store = new FileStore(
            $this->directory->file('buffer'),
            new Permissions,
            new SystemClock,
            null,
            null,
            $settings->whole(),
        );

        return (new Flusher($store, $sinks, $settings->whole(), new SystemClock))->flush(
            'calls',
            new FlushOptions(now: true),
        );
    }

    private function settings(string $sink): AppendConfig
    {
        $url = 'http://127.0.0.1:'.file_get_contents($this->directory->file('port'));
        $options = match ($sink) {
            'elasticsearch' => ['index' => 'events'],
            'clickhouse' => ['table' => 'events'],
            default => [],
        };

        return AppendConfig::fromArray([
            'path' => $this->directory->file('buffer'),
            'buckets' => ['calls' => ['sink' => $sink, 'url' => $url, ...$options]],
        ]);
    }

    /** @return list<string> each once for each time that it was taken */
    private function taken(): array
    {
        $taken = explode("\n", trim((string) file_get_contents($this->directory->file('taken'))));
        sort($taken);

        return $taken;
    }
}
